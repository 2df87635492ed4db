/** One file, directory or link of a bag that is being read. */
export interface SourceEntry {
  /** as stored, without a trailing `/`; in an archive it starts with the top directory */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
  /** octets, as the archive or file system says */
  readonly bytes: number;
  /** why a link is not followed */
  readonly problem?: string;
  /** The content. Only until the next entry is asked for. */
  read(): Promise<AsyncIterable<Uint8Array>>;
}

/** A bag that can be gone through several times and is never changed. */
export interface BagSource {
  readonly kind: 'directory' | 'archive';
  entries(): AsyncGenerator<SourceEntry, void, undefined>;
}

/** There is nothing at the path, or nothing that could hold a bag. */
export class BagOpenError extends Error {
  override readonly name = 'BagOpenError';
}
