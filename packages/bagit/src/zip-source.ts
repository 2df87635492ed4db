import { type Entry, getFileNameLowLevel, openPromise } from 'yauzl';
import { BagOpenError, type BagSource, type SourceEntry } from './bag-source.js';

const TYPE_MASK = 0o170000;
const LINK = 0o120000;
const DIRECTORY = 0o040000;

/** A bag in a zip file, read by its central directory. */
export function zipSource(path: string): BagSource {
  return { kind: 'archive', entries: () => walk(path) };
}

async function* walk(path: string): AsyncGenerator<SourceEntry, void, undefined> {
  // undecoded names: yauzl would stop at the first unsafe one, and we want to report all
  const file = await openPromise(path, {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: true,
  });
  try {
    for await (const entry of file.eachEntry()) {
      const name = nameOf(entry);
      yield {
        path: name.replace(/\/+$/, ''),
        kind: kindOf(entry, name),
        bytes: entry.uncompressedSize,
        problem: 'is a link',
        read: async () => {
          if (entry.isEncrypted()) throw new BagOpenError(`${JSON.stringify(name)} is encrypted`);
          return file.openReadStreamPromise(entry);
        },
      };
    }
  } finally {
    file.close();
  }
}

function nameOf(entry: Entry): string {
  return getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
}

function kindOf(entry: Entry, name: string): SourceEntry['kind'] {
  if (name.endsWith('/')) return 'directory';
  // the upper half has the Unix mode when the archive was made there (3) or on macOS (19)
  const madeBy = entry.versionMadeBy >>> 8;
  const type = madeBy === 3 || madeBy === 19 ? (entry.externalFileAttributes >>> 16) & TYPE_MASK : 0;
  if (type === LINK) return 'link';
  return type === DIRECTORY ? 'directory' : 'file';
}
