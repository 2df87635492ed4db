import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseString } from 'fast-csv';
import { type CsvValue, csvRecord, writeCsv } from '../output/csv-writer.js';
import { TabularError } from '../tabular-error.js';
import { readCsvRecords, readCsvRows } from './csv-reader.js';
import { openCsvForCopy } from './csv-to-copy.js';

interface Passed {
  readonly header: readonly string[] | null;
  readonly body: string;
  readonly rows: number;
}

async function pass(chunks: Iterable<Uint8Array>): Promise<Passed> {
  const csv = await openCsvForCopy(chunks);
  const parts: Buffer[] = [];
  for await (const part of csv.body) parts.push(part);
  return { header: csv.header, body: Buffer.concat(parts).toString(), rows: csv.rowCount() };
}

async function read(chunks: Iterable<Uint8Array>): Promise<readonly (readonly (string | null)[])[]> {
  const records: (readonly (string | null)[])[] = [];
  for await (const record of readCsvRecords(chunks)) records.push(record);
  return records;
}

/** What came out, or the fault: two ways of cutting the same bytes must not differ. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => {
    if (!(error instanceof TabularError)) throw error;
    return { code: error.code, row: error.row, line: error.line };
  });
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => (bytes.length === 0 ? 0 : place % bytes.length)))].sort(
    (a, b) => a - b,
  );
  const chunks: Buffer[] = [];
  let from = 0;
  for (const to of [...sorted, bytes.length]) {
    chunks.push(bytes.subarray(from, to));
    from = to;
  }
  return chunks;
}

describe('openCsvForCopy', () => {
  it('gives the header and passes the records on as they are', async () => {
    expect(await pass([Buffer.from('id,name\n1,Asha\n2,""\n3,\n')])).toEqual({
      header: ['id', 'name'],
      body: '1,Asha\n2,""\n3,\n',
      rows: 3,
    });
  });

  it('hands unchanged chunks on without copying them', async () => {
    const chunk = Buffer.from('1,2\n3,4\n');
    const csv = await openCsvForCopy([Buffer.from('a,b\n'), chunk]);
    const parts: Buffer[] = [];
    for await (const part of csv.body) parts.push(part);
    expect(parts).toHaveLength(1);
    expect(parts[0]?.buffer).toBe(chunk.buffer);
    expect(parts[0]?.byteOffset).toBe(chunk.byteOffset);
  });

  const passed: readonly (readonly [string, string, readonly string[] | null, string, number])[] = [
    ['an empty body', '', null, '', 0],
    ['a byte-order mark alone', '\ufeff', null, '', 0],
    ['a header alone', 'a,b\n', ['a', 'b'], '', 0],
    ['a header without an end', 'a,b', ['a', 'b'], '', 0],
    ['a byte-order mark', '\ufeffa,b\n1,2\n', ['a', 'b'], '1,2\n', 1],
    ['a quoted header after a byte-order mark', '\ufeff"a,""x""","b\nc"\n1,2\n', ['a,"x"', 'b\nc'], '1,2\n', 1],
    ['no record end at the end', 'a,b\n1,2\n3,', ['a', 'b'], '1,2\n3,\n', 2],
    ['CRLF', 'a,b\r\n1,2\r\n"x\r\ny",\r\n', ['a', 'b'], '1,2\n"x\r\ny",\n', 2],
    ['LF and CRLF mixed', 'a\n1\r\n2\n', ['a'], '1\n2\n', 2],
    ['a single column with NULL and the empty string', 'a\n\n""\n', ['a'], '\n""\n', 2],
    ['what COPY takes for the end', 'a\n1\n\\.\n2\n', ['a'], '1\n"\\."\n2\n', 3],
    ['the same with CRLF', 'a\n\\.\r\n2\n', ['a'], '"\\."\n2\n', 2],
    ['the same at the very end', 'a\n\\.', ['a'], '"\\."\n', 1],
    ['what only begins like it', 'a\n\\.x\n\\\n"\\."\nx\\.\n', ['a'], '\\.x\n\\\n"\\."\nx\\.\n', 4],
    ['the same in a wider record', 'a,b\n\\.,\\.\n', ['a', 'b'], '\\.,\\.\n', 1],
    ['quotes and separators inside quotes', 'a,b\n"x,""y""",\n', ['a', 'b'], '"x,""y""",\n', 1],
    ['characters beyond ASCII', 'ä,𝛼\né,日本\n', ['ä', '𝛼'], 'é,日本\n', 1],
  ];
  it.each(passed)('passes %s, wherever it is cut', async (_name, text, header, body, rows) => {
    const bytes = Buffer.from(text);
    const expected = { header, body, rows };
    expect(await pass([bytes])).toEqual(expected);
    expect(await pass([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await pass([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
    }
  });

  const faulty: readonly (readonly [string, string, string, number, number])[] = [
    ['too few fields', 'a,b\n1,2\n3\n', 'too_few_fields', 2, 3],
    ['a blank line', 'a,b\n1,2\n\n', 'too_few_fields', 2, 3],
    ['too many fields', 'a,b\n1,2,3\n', 'too_many_fields', 1, 2],
    ['too many fields in the last record', 'a,b\n"x\ny",2\n1,2,', 'too_many_fields', 2, 4],
    ['a quote inside an unquoted field', 'a,b\n5" pipe,x\n', 'bad_quote', 1, 2],
    ['text after a closing quote', 'a,b\n"x"y,z\n', 'bad_quote', 1, 2],
    ['a quote that never closes', 'a,b\n1,2\n"x\ny,z\n', 'unterminated_quote', 2, 3],
    ['a carriage return alone', 'a,b\n1\r2,3\n', 'bad_record_end', 1, 2],
    ['a carriage return at the end', 'a\n1\r', 'bad_record_end', 1, 2],
    ['NUL', 'a,b\n1,\u0000\n', 'nul', 1, 2],
    ['NUL inside quotes', 'a,b\n1,"\n\u0000"\n', 'nul', 1, 3],
    ['NUL in the header', 'a\u0000\n', 'nul', 0, 1],
    ['a bad quote in the header', 'a"b\n1\n', 'bad_quote', 0, 1],
  ];
  it.each(faulty)('refuses %s and says where, wherever it is cut', async (_name, text, code, row, line) => {
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at += 1) {
      const chunks = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(await outcome(pass(chunks))).toEqual({ code, row, line });
      expect(await outcome(read(chunks))).toEqual({ code, row, line });
    }
  });

  it('refuses bytes that are not UTF-8, after the rows before them', async () => {
    const bad: readonly (readonly number[])[] = [
      [0xff],
      [0xc0, 0x80],
      [0xe2, 0x82],
      [0xed, 0xa0, 0x80],
      [0x80],
      [0xf5],
    ];
    for (const sequence of bad) {
      const bytes = Buffer.concat([Buffer.from('a,b\n1,é\n2,'), Buffer.from(sequence), Buffer.from('\n3,4\n')]);
      for (let at = 0; at <= bytes.length; at += 1) {
        const result = await outcome(pass([bytes.subarray(0, at), bytes.subarray(at)]));
        expect(result).toEqual({ code: 'bad_utf8', row: 2, line: 3 });
      }
    }
    const earlier = Buffer.concat([Buffer.from('a,b\n1\n2,'), Buffer.from([0xff])]);
    expect(await outcome(pass([earlier]))).toEqual({ code: 'too_few_fields', row: 1, line: 2 });
    const cutOff = Buffer.concat([Buffer.from('a\n'), Buffer.from([0xe2, 0x82])]);
    expect(await outcome(pass([cutOff]))).toEqual({ code: 'bad_utf8', row: 1, line: 2 });
  });

  it('shows the header before it finds fault with a row, even if both come in one piece', async () => {
    for (const row of ['1', '1,\u0000', '"']) {
      const csv = await openCsvForCopy([Buffer.from(`a,b\n${row}\n`)]);
      expect(csv.header).toEqual(['a', 'b']);
      await expect(csv.body.toArray()).rejects.toThrow(TabularError);
    }
    const csv = await openCsvForCopy([Buffer.from([0x61, 0x0a, 0xff, 0x0a])]);
    expect(csv.header).toEqual(['a']);
    await expect(csv.body.toArray()).rejects.toThrow(expect.objectContaining({ code: 'bad_utf8', row: 1 }));
  });

  it('limits the header', async () => {
    const long = Buffer.from('x'.repeat(100));
    await expect(openCsvForCopy([long, long], { maxHeaderBytes: 150 })).rejects.toThrow(
      expect.objectContaining({ code: 'row_too_long' }),
    );
  });

  it('leaves the source to its owner when the input is refused', async () => {
    const source = new Readable({ read: () => undefined });
    source.push('a,b\n1,2\n3\n');
    const csv = await openCsvForCopy(source);
    await expect(csv.body.toArray()).rejects.toThrow(expect.objectContaining({ code: 'too_few_fields' }));
    expect(source.destroyed).toBe(false);
    source.destroy();
  });

  it('fails when the source fails', async () => {
    const source = new Readable({ read: () => undefined });
    source.push('a,b\n1,2\n');
    const csv = await openCsvForCopy(source);
    source.destroy(new Error('the client went away'));
    await expect(csv.body.toArray()).rejects.toThrow('the client went away');
  });

  it('never depends on where random input is cut', async () => {
    const byte = fc.constantFrom(...Buffer.from('a,"\n\r\\.'), 0xc3, 0xa9, 0x00);
    await fc.assert(
      fc.asyncProperty(
        fc.array(byte, { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (list, places) => {
          const bytes = Buffer.from(list);
          const chunks = cut(bytes, places);
          expect(await outcome(pass(chunks))).toEqual(await outcome(pass([bytes])));
          expect(await outcome(read(chunks))).toEqual(await outcome(read([bytes])));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

const field = fc.oneof(
  fc.constant(null),
  fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\\', '.', 'é', '𝛼', ' '), maxLength: 6 }),
);
const table = fc
  .integer({ min: 1, max: 4 })
  .chain((width) => fc.array(fc.array(field, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }));

describe('writing and reading CSV', () => {
  it('gives back every value, NULL and the empty string apart, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.array(fc.nat(), { maxLength: 5 }), async (records, places) => {
        const bytes = Buffer.from(records.map(csvRecord).join(''));
        expect(await read(cut(bytes, places))).toEqual(records);
      }),
      { numRuns: 1000 },
    );
  });

  it('writes what another reader understands, as far as that one can tell values apart', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (records) => {
        // it skips empty lines, and takes blanks before a quote for part of the quoting
        fc.pre(records.every((record) => record.length > 1 && !record.some((value) => value?.includes(' '))));
        const parsed = await parseString(records.map(csvRecord).join('')).toArray();
        expect(parsed).toEqual(records.map((record) => record.map((value) => value ?? '')));
      }),
    );
  });

  it('passes what was written on to COPY unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (records) => {
        const [first = [], ...rest] = records;
        const result = await pass([Buffer.from(records.map(csvRecord).join(''))]);
        expect(result.header).toEqual(first.map((name) => name ?? ''));
        expect(result.body).toBe(rest.map(csvRecord).join(''));
        expect(result.rows).toBe(rest.length);
      }),
    );
  });

  it('quotes exactly where it must', () => {
    const written: readonly (readonly [readonly CsvValue[], string])[] = [
      [[1, 'Asha', null], '1,Asha,\n'],
      [['', null], '"",\n'],
      [[null], '\n'],
      [[''], '""\n'],
      [['a,b', 'say "x"', 'l1\nl2', 'c\rd', ' e '], '"a,b","say ""x""","l1\nl2","c\rd", e \n'],
      [['\\.'], '"\\."\n'],
      [['\\.', 1n], '\\.,1\n'],
      [[true, false, 1.5], 't,f,1.5\n'],
    ];
    for (const [values, text] of written) expect(csvRecord(values)).toBe(text);
  });

  it('streams rows behind a header', async () => {
    const csv = writeCsv(
      ['id', 'name'],
      [
        [1, 'a'],
        [2, null],
      ],
    );
    expect(Buffer.concat(await csv.toArray()).toString()).toBe('id,name\n1,a\n2,\n');
    await expect(writeCsv(['id'], [[1, 2]]).toArray()).rejects.toThrow(RangeError);
  });

  it('reads rows by column name', async () => {
    const rows = [];
    for await (const row of readCsvRows([Buffer.from('id,__proto__\n1,x\n2,""\n3,\n')])) rows.push(Object.entries(row));
    expect(rows).toEqual([
      [
        ['id', '1'],
        ['__proto__', 'x'],
      ],
      [
        ['id', '2'],
        ['__proto__', ''],
      ],
      [
        ['id', '3'],
        ['__proto__', null],
      ],
    ]);
  });

  it('limits the length of a record', async () => {
    const bytes = Buffer.from(`a\n${'x'.repeat(100)}\n`);
    const records = readCsvRecords([bytes.subarray(0, 50), bytes.subarray(50)], { maxRecordBytes: 99 });
    await expect(Readable.from(records).toArray()).rejects.toThrow(
      expect.objectContaining({ code: 'row_too_long', row: 1 }),
    );
  });
});
