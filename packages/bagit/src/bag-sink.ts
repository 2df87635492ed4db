/** Where the entries of a bag go: an archive or a directory. One entry is open at a time. */
export interface BagSink {
  /** tar: a header with the size comes before the content */
  readonly needsLength: boolean;
  directory(path: string): Promise<void>;
  /** `length` in octets, required where {@link needsLength}. Nothing need be written before `end`, see `started`. */
  open(path: string, length: number | undefined): EntryWriter;
  /** Completes the archive and ends its destination: only now can a reader take it for a whole one. */
  finish(): Promise<void>;
  /** Breaks the destination off and leaves nothing behind. */
  abort(reason: Error): Promise<void>;
}

export interface EntryWriter {
  /** whether something of the entry has been written: from then on only a whole entry leaves the bag sound */
  readonly started: boolean;
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}
