import { open, stat } from 'node:fs/promises';
import { BagOpenError, type BagSource } from './bag-source.js';
import { directorySource } from './directory-source.js';
import { tarSource } from './tar-source.js';
import { zipSource } from './zip-source.js';

/**
 * Opens a directory or an archive, told by its first bytes and not by its name: zip, tar, gzipped tar, bzipped tar.
 *
 * @throws BagOpenError
 */
export async function openBagSource(path: string): Promise<BagSource> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new BagOpenError(cause.code === 'ENOENT' ? `there is nothing at ${path}` : cause.message, { cause });
  });
  if (found.isDirectory()) return directorySource(path);
  if (!found.isFile()) throw new BagOpenError(`${path} is neither a directory nor a file`);
  const head = await firstBytes(path);
  if (head.subarray(0, 2).toString('latin1') === 'PK') return zipSource(path);
  if (head[0] === 0x1f && head[1] === 0x8b) return tarSource(path, 'gzip');
  if (head.subarray(0, 3).toString('latin1') === 'BZh') return tarSource(path, 'bzip2');
  if (head.subarray(257, 262).toString('latin1') === 'ustar') return tarSource(path, 'none');
  throw new BagOpenError(`${path} is neither a directory nor a zip, tar, tar.gz or tar.bz2 archive`);
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
