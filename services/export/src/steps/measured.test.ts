import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TableFormat } from '../request/export-request.js';
import { peek } from './measured.js';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function look(
  text: string,
  format: TableFormat,
  size: number,
): Promise<{ readonly isEmpty: boolean; readonly text: string }> {
  const { isEmpty, content } = await peek(inPieces(text, size), format);
  let whole = '';
  for await (const chunk of content) whole += Buffer.from(chunk).toString('latin1');
  return { isEmpty, text: Buffer.from(whole, 'latin1').toString() };
}

describe('a result without rows (spec/export.md 6.5)', () => {
  it.each<[TableFormat, string, boolean]>([
    ['csv', '', true],
    ['csv', 'a,b\n', true],
    ['csv', '"a\nb",c\n', true],
    ['csv', 'a,b', true],
    ['csv', 'a,b\n1,2\n', false],
    ['csv', '"a\nb",c\n1,2', false],
    ['json', '[]', true],
    ['json', '[\n]\n', true],
    ['json', '{}', true],
    ['json', '', true],
    ['json', '[{}]', false],
    ['json', '[{"a":1}]', false],
    ['json', '5', false],
    ['json-stream', '', true],
    ['json-stream', '\n', true],
    ['json-stream', '{"a":1}\n', false],
  ])('%s %j: %s', async (format, text, isEmpty) => {
    for (const size of [1, 2, 1_000]) expect(await look(text, format, size)).toEqual({ isEmpty, text });
  });

  it('loses and adds nothing, however the bytes come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.constantFrom<TableFormat>('csv', 'json', 'json-stream'),
        fc.integer({ min: 1, max: 9 }),
        async (text, format, size) => expect((await look(text, format, size)).text).toBe(text),
      ),
    );
  });
});
