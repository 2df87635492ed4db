import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { validateBag } from '@holdfast/bagit';

/**
 * The entries of a small zip file by name, after it has passed for a bag (with whatever it refers to missing).
 */
export async function readZip(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  await expectBag(bytes);
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const entries = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  while (bytes.toString('latin1', at, at + 4) === 'PK\x01\x02') {
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const deflated = bytes.readUInt16LE(at + 10) === 8;
    const size = bytes.readUInt32LE(at + 20);
    const stored = size === 0xffff_ffff ? sizeInExtra(bytes, at + 46 + nameLength) : size;
    const raw = bytes.subarray(start, start + stored);
    entries.set(name, (deflated ? inflateRawSync(raw) : raw).toString('utf8'));
    at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** zip64: the compressed size stands after the size, eight bytes each. */
function sizeInExtra(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at + 4 + 8));
}

async function expectBag(bytes: Buffer): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-bag-'));
  try {
    const path = join(directory, 'bag.zip');
    await writeFile(path, bytes);
    const report = await validateBag(path);
    const faults = report.errors.filter(({ code }) => code !== 'incomplete');
    if (faults.length > 0) throw new Error(`not a bag: ${JSON.stringify(faults)}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
