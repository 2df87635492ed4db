import { describe, expect, it } from '@jest/globals';
import { countRecords } from './count-records.js';

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('counting CSV records', () => {
  it('does not count the header', async () => {
    await expect(countRecords(chunks('a,b\n'))).resolves.toEqual({ records: 0, bytes: 4 });
    await expect(countRecords(chunks('a,b\n1,', '2\n3,4\n'))).resolves.toEqual({ records: 2, bytes: 12 });
  });

  it('takes a line feed inside quotes for data, also when a chunk ends there', async () => {
    await expect(countRecords(chunks('a\n"x\n', 'y ""\n"\nz\n'))).resolves.toMatchObject({ records: 2 });
  });

  it('counts a last record without a line end', async () => {
    await expect(countRecords(chunks('a\n1\n2'))).resolves.toMatchObject({ records: 2 });
  });

  it('finds nothing in nothing', async () => {
    await expect(countRecords(chunks())).resolves.toEqual({ records: 0, bytes: 0 });
  });
});
