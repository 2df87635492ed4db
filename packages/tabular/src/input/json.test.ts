import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonArrayFrame } from '../output/json-array-frame.js';
import { TabularError } from '../tabular-error.js';
import { type JsonFormat, joinJsonRows, openJsonRowsForCopy, readJsonRows } from './json-rows.js';

/** The texts that COPY would be given, taken out of their U+0001 quotes. */
async function copied(
  chunks: Iterable<Uint8Array>,
  format: JsonFormat,
  maxRowBytes?: number,
): Promise<readonly string[]> {
  const rows = openJsonRowsForCopy(chunks, format, maxRowBytes === undefined ? {} : { maxRowBytes });
  const text = Buffer.concat(await rows.body.toArray()).toString();
  const texts = text === '' ? [] : text.slice(1, -2).split('\u0001\n\u0001');
  if (text !== '') expect(text).toBe(texts.map((row) => `\u0001${row}\u0001\n`).join(''));
  expect(rows.rowCount()).toBe(texts.length);
  return texts;
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => {
    if (!(error instanceof TabularError)) throw error;
    return { code: error.code, row: error.row, line: error.line };
  });
}

function everyCut(bytes: Buffer): readonly (readonly Buffer[])[] {
  const cuts = Array.from({ length: bytes.length + 1 }, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]);
  return [[bytes], [...bytes].map((byte) => Buffer.from([byte])), ...cuts];
}

describe('openJsonRowsForCopy', () => {
  const passed: readonly (readonly [string, JsonFormat, string, readonly string[]])[] = [
    ['an empty array', 'json', '[]', []],
    ['an empty array with white space', 'json', ' [ \r\n\t] \n', []],
    ['rows', 'json', '[{"a":1},\n {"a":2}]\n', ['{"a":1}', '{"a":2}']],
    [
      'both halves of a character',
      'json',
      '[{"a":"\\uD83D\\uDE00x\\ud83d\\ude00"}]',
      ['{"a":"\\uD83D\\uDE00x\\ud83d\\ude00"}'],
    ],
    ['what only looks like half a character', 'json', '[{"a":"\\\\ud83d"}]', ['{"a":"\\\\ud83d"}']],
    ['a byte-order mark', 'json', '\ufeff[{}]', ['{}']],
    [
      'brackets and quotes in strings',
      'json',
      '[{"a":"]},{[\\"\\\\"},{"b\\\\":"\\\\\\""}]',
      ['{"a":"]},{[\\"\\\\"}', '{"b\\\\":"\\\\\\""}'],
    ],
    ['rows over several lines, text kept', 'json', '[ {"a":\n  [1, 2.50 ] } , {} ]', ['{"a":\n  [1, 2.50 ] }', '{}']],
    ['nesting', 'json', '[{"a":{"b":[{"c":[]}]}}]', ['{"a":{"b":[{"c":[]}]}}']],
    ['an escaped backslash before u0000', 'json', '[{"a":"\\\\u0000"}]', ['{"a":"\\\\u0000"}']],
    ['characters beyond ASCII', 'json', '[{"ä":"日本𝛼"}]', ['{"ä":"日本𝛼"}']],
    ['an empty stream', 'json-stream', '', []],
    ['a stream', 'json-stream', '{"a":1}\n{"a":2}\n', ['{"a":1}', '{"a":2}']],
    [
      'a stream with CRLF, blank lines and no end',
      'json-stream',
      '\n{"a":1}\r\n\r\n  \n {"a":2} ',
      ['{"a":1}', '{"a":2}'],
    ],
    ['a stream with a byte-order mark', 'json-stream', '\ufeff{"a":"\\\\n"}\n', ['{"a":"\\\\n"}']],
  ];
  it.each(passed)('passes %s, wherever it is cut', async (_name, format, text, rows) => {
    for (const chunks of everyCut(Buffer.from(text))) expect(await copied(chunks, format)).toEqual(rows);
    expect(joinJsonRows(Buffer.from(text), format)).toEqual({ array: `[${rows.join(',')}]`, rowCount: rows.length });
  });

  const faulty: readonly (readonly [string, JsonFormat, string, string, number, number])[] = [
    ['an empty body', 'json', '', 'bad_json', 1, 1],
    ['white space alone', 'json', ' \n', 'bad_json', 1, 2],
    ['an object', 'json', '{"a":1}', 'not_an_array', 1, 1],
    ['a scalar', 'json', '"x"', 'not_an_array', 1, 1],
    ['a number among the rows', 'json', '[{},\n7]', 'not_an_object', 2, 2],
    ['null among the rows', 'json', '[null]', 'not_an_object', 1, 1],
    ['an array among the rows', 'json', '[[{}]]', 'not_an_object', 1, 1],
    ['text that is no value', 'json', '[{},oops]', 'bad_json', 2, 1],
    ['a comma before the end', 'json', '[{},]', 'bad_json', 2, 1],
    ['two commas', 'json', '[{},,{}]', 'bad_json', 2, 1],
    ['no comma', 'json', '[{}{}]', 'bad_json', 2, 1],
    ['a row that is not JSON', 'json', '[{},\n{"a":tru}\n]', 'bad_json', 2, 2],
    ['brackets that do not match', 'json', '[{"a":[}]}]', 'bad_json', 1, 1],
    ['a raw line feed in a string', 'json', '[{"a":"x\ny"}]', 'bad_json', 1, 1],
    ['an unfinished array', 'json', '[{"a":1}', 'bad_json', 2, 1],
    ['an unfinished row', 'json', '[{"a":1', 'bad_json', 1, 1],
    ['more after the end', 'json', '[{}] []', 'bad_json', 2, 1],
    ['an escaped NUL', 'json', '[{},{"a":"x\\u0000"}]', 'nul', 2, 1],
    ['an escaped NUL after an escaped backslash', 'json', '[{"a":"\\\\\\u0000"}]', 'nul', 1, 1],
    ['an escaped NUL in a name', 'json', '[{"\\u0000":1}]', 'nul', 1, 1],
    ['half a character', 'json', '[{},{"a":"\\ud83d"}]', 'half_character', 2, 1],
    ['the wrong half of a character', 'json', '[{"a":"\\uDE00 \\ud83d\\ude00"}]', 'half_character', 1, 1],
    ['half a character after an escaped backslash', 'json', '[{"a":"\\\\\\ud83dx"}]', 'half_character', 1, 1],
    ['a raw NUL', 'json', '[{"a":"\u0000"}]', 'bad_json', 1, 1],
    ['the quote of COPY in a string', 'json', '[{"a":"\u0001"}]', 'bad_json', 1, 1],
    ['a scalar in a stream', 'json-stream', '{"a":1}\n\n7\n', 'not_an_object', 2, 3],
    ['an array in a stream', 'json-stream', '[{"a":1}]', 'not_an_object', 1, 1],
    ['a row over two lines in a stream', 'json-stream', '{"a":\n1}', 'bad_json', 1, 1],
    ['two rows on one line in a stream', 'json-stream', '{} {}\n', 'bad_json', 1, 1],
    ['an escaped NUL in a stream', 'json-stream', '{}\n{"a":"\\u0000"}', 'nul', 2, 2],
  ];
  it.each(faulty)('refuses %s and says where, wherever it is cut', async (_name, format, text, code, row, line) => {
    for (const chunks of everyCut(Buffer.from(text))) {
      expect(await outcome(copied(chunks, format))).toEqual({ code, row, line });
    }
    expect(await outcome((async () => joinJsonRows(Buffer.from(text), format))())).toEqual({ code, row, line });
  });

  it('refuses bytes that are not UTF-8, after the rows before them', async () => {
    const bytes = Buffer.concat([Buffer.from('[{},\n{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}]')]);
    for (const chunks of everyCut(bytes)) {
      expect(await outcome(copied(chunks, 'json'))).toEqual({ code: 'bad_utf8', row: 2, line: 2 });
    }
    expect(() => joinJsonRows(bytes, 'json')).toThrow(expect.objectContaining({ code: 'bad_utf8', row: 2, line: 2 }));
  });

  it('limits the length of a row, however it arrives', async () => {
    const bytes = Buffer.from(`[{},{"a":"${'x'.repeat(50)}"}]`);
    for (const chunks of everyCut(bytes)) {
      expect(await outcome(copied(chunks, 'json', 40))).toEqual({ code: 'row_too_long', row: 2, line: 1 });
    }
    const endless = Array.from({ length: 10 }, () => Buffer.from('{"a":1,'));
    expect(await outcome(copied(endless, 'json-stream', 40))).toEqual({ code: 'row_too_long', row: 1, line: 1 });
  });

  it('gives the rows of any document, cut anywhere', async () => {
    const rows = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 6 });
    const layout = fc.constantFrom(undefined, 1, '\t');
    await fc.assert(
      fc.asyncProperty(rows, layout, fc.array(fc.nat(), { maxLength: 6 }), async (values, indent, places) => {
        const text = JSON.stringify(values, null, indent);
        fc.pre(!/(?:^|[^\\])(?:\\\\)*\\u0000/.test(text));
        const bytes = Buffer.from(text);
        const at = [...places.map((place) => place % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
        const chunks = at.slice(1).map((to, i) => bytes.subarray(at[i] ?? 0, to));
        const expected: unknown = JSON.parse(text);
        expect((await copied(chunks, 'json')).map((row): unknown => JSON.parse(row))).toEqual(expected);
        const objects = await Readable.from(readJsonRows(chunks, 'json')).toArray();
        expect(objects).toEqual(expected);
        const lines = Buffer.from(values.map((value) => `${JSON.stringify(value)}\r\n`).join(''));
        const some = Math.min(lines.length, places[0] ?? 0);
        const streamed = readJsonRows([lines.subarray(0, some), lines.subarray(some)], 'json-stream');
        expect(await Readable.from(streamed).toArray()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what JSON.parse refuses: documents with one byte changed', async () => {
    const rows = fc.array(fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 })), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(), fc.constantFrom(...'[]{},:"\\ a0-\n'), async (values, place, other) => {
        const text = JSON.stringify(values);
        fc.pre(!text.includes('\\u0000'));
        const at = place % text.length;
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        const result = await outcome(copied([Buffer.from(changed)], 'json'));
        let parsed: unknown;
        try {
          parsed = JSON.parse(changed);
        } catch {
          parsed = undefined;
        }
        const objects = (value: unknown): boolean =>
          typeof value === 'object' && value !== null && !Array.isArray(value);
        if (Array.isArray(parsed) && parsed.every(objects)) expect(result).toHaveLength(parsed.length);
        else expect(result).toHaveProperty('code');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('readJsonRows', () => {
  it('refuses a row longer than 1 MiB unless told otherwise', async () => {
    const line = Buffer.from(`{"a":"${'x'.repeat(1024 * 1024)}"}\n`);
    await expect(Readable.from(readJsonRows([line], 'json-stream')).toArray()).rejects.toThrow(
      expect.objectContaining({ code: 'row_too_long', row: 1 }),
    );
    const rows = readJsonRows([line], 'json-stream', { maxRowBytes: 2 * 1024 * 1024 });
    expect(await Readable.from(rows).toArray()).toHaveLength(1);
  });
});

describe('jsonArrayFrame', () => {
  function framed(chunks: readonly Buffer[]): string {
    const frame = jsonArrayFrame();
    return Buffer.concat([...chunks.map((chunk) => frame.push(chunk)), frame.end()]).toString();
  }

  it('puts rows into an array, one per line, and gives an empty one for none', () => {
    expect(framed([])).toBe('[]\n');
    expect(framed([Buffer.from('{"id":1}\n')])).toBe('[{"id":1}]\n');
    expect(framed([Buffer.from('{"id":1}\n{"id":2}\n{"id":3}\n')])).toBe('[{"id":1},\n {"id":2},\n {"id":3}]\n');
  });

  it('does so wherever the rows are cut', () => {
    const bytes = Buffer.from('{"a":"é"}\n{}\n{"b":[1,2]}\n');
    for (const chunks of everyCut(bytes)) {
      expect(framed(chunks)).toBe('[{"a":"é"},\n {},\n {"b":[1,2]}]\n');
    }
  });
});
