/**
 * How fast rows go through, relative to a plain pipe of the same bytes in the same run.
 *
 *     node dist/bench/throughput.js [megabytes]
 */
import { PassThrough, Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { jsonArrayFrame, openCsvForCopy, openJsonRowsForCopy, readCsvRecords, readJsonRows } from '../src/index.js';

const CHUNK = 64 * 1024;
const megabytes = Number(process.argv[2] ?? 200);

interface Input {
  readonly name: string;
  readonly bytes: Buffer;
}

const inputs = {
  shortCsv: input('CSV, 5 short columns', 'a,b,c,d,e\n', (i) => `${i},plot ${i % 24},${i * 3},2024-01-02,${i % 7}\n`),
  crlfCsv: input('CSV, CRLF', 'a,b,c,d,e\r\n', (i) => `${i},plot ${i % 24},${i * 3},2024-01-02,${i % 7}\r\n`),
  quotedCsv: input('CSV, quoted text', 'a,b,c\n', (i) => `${i},"a ""quoted"" text, with commas\nand lines ${i}",x\n`),
  jsonLines: input(
    'JSON rows',
    '',
    (i) => `{"id":${i},"name":"plot ${i % 24}","n":${i * 3},"at":"2024-01-02","k":null}\n`,
  ),
  jsonArray: input(
    'JSON array',
    '[',
    (i) => `${i === 0 ? '' : ',\n '}{"id":${i},"name":"plot \\"${i % 24}\\"","k":[1,2]}`,
    ']\n',
  ),
};

const floor = await best(() => pipeline(chunksOf(inputs.shortCsv), new PassThrough(), discard()), inputs.shortCsv);
report('plain pipe (PassThrough)', floor, floor);
report(
  'copying pipe',
  await best(() => pipeline(chunksOf(inputs.shortCsv), copying(), discard()), inputs.shortCsv),
  floor,
);
for (const csv of [inputs.shortCsv, inputs.crlfCsv, inputs.quotedCsv]) {
  const rate = await best(async () => pipeline((await openCsvForCopy(chunksOf(csv))).body, discard()), csv);
  report(`to COPY: ${csv.name}`, rate, floor);
}
for (const [json, format] of [
  [inputs.jsonLines, 'json-stream'],
  [inputs.jsonArray, 'json'],
] as const) {
  const rate = await best(() => pipeline(openJsonRowsForCopy(chunksOf(json), format).body, discard()), json);
  report(`to COPY: ${json.name}`, rate, floor);
}
report(
  'array frame',
  await best(() => pipeline(framed(chunksOf(inputs.jsonLines)), discard()), inputs.jsonLines),
  floor,
);
report(
  'reader: CSV records',
  await best(() => drain(readCsvRecords(chunksOf(inputs.shortCsv))), inputs.shortCsv),
  floor,
);
report(
  'reader: JSON objects',
  await best(() => drain(readJsonRows(chunksOf(inputs.jsonLines), 'json-stream')), inputs.jsonLines),
  floor,
);

function input(name: string, head: string, row: (i: number) => string, tail = ''): Input {
  const parts = [Buffer.from(head)];
  let length = 0;
  for (let i = 0; length < megabytes * 1e6; ) {
    let block = '';
    for (let k = 0; k < 1000; k += 1, i += 1) block += row(i);
    const bytes = Buffer.from(block);
    parts.push(bytes);
    length += bytes.length;
  }
  return { name, bytes: Buffer.concat([...parts, Buffer.from(tail)]) };
}

function chunksOf({ bytes }: Input): Readable {
  let at = 0;
  return new Readable({
    highWaterMark: CHUNK,
    read() {
      const from = at;
      at += CHUNK;
      this.push(from >= bytes.length ? null : bytes.subarray(from, at));
    },
  });
}

function copying(): Transform {
  return new Transform({ transform: (chunk: Buffer, _encoding, done) => done(null, Buffer.from(chunk)) });
}

function discard(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** MB/s of the best of three runs. */
async function best(run: () => Promise<unknown>, { bytes }: Input): Promise<number> {
  let rate = 0;
  for (let i = 0; i < 3; i += 1) {
    const start = process.hrtime.bigint();
    await run();
    rate = Math.max(rate, bytes.length / (Number(process.hrtime.bigint() - start) / 1e3));
  }
  return rate;
}

function report(name: string, rate: number, floor: number): void {
  process.stdout.write(
    `${name.padEnd(34)} ${rate.toFixed(0).padStart(6)} MB/s  ${(floor / rate).toFixed(1).padStart(5)} x the pipe's time\n`,
  );
}

async function* framed(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const frame = jsonArrayFrame();
  for await (const chunk of rows) yield frame.push(chunk);
  yield frame.end();
}
