/** What a bag writer can refuse; the export service maps these codes to statuses (spec/export.md 11). */
export type BagWriteErrorCode =
  | 'empty_bag'
  | 'no_common_hash'
  | 'path_collision'
  | 'bad_name'
  | 'bad_metadata'
  | 'bad_reference'
  | 'length_mismatch'
  | 'bzip2_missing'
  | 'scratch_full'
  | 'invalid_bag'
  | 'usage';

/** Thrown by the writing side. `path` is the payload or tag path it is about, where there is one. */
export class BagWriteError extends Error {
  override readonly name = 'BagWriteError';
  readonly code: BagWriteErrorCode;
  readonly path: string | undefined;

  constructor(
    code: BagWriteErrorCode,
    message: string,
    options: { readonly path?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.path = options.path;
  }
}

export type UnsafePathReason =
  | 'empty'
  | 'absolute'
  | 'parent_segment'
  | 'control_character'
  | 'backslash'
  | 'lone_surrogate'
  | 'segment_too_long'
  | 'path_too_long'
  | 'too_deep';

/** Thrown for a path that must not become a file name (spec/export.md 6.1). */
export class UnsafePathError extends Error {
  override readonly name = 'UnsafePathError';
  readonly path: string;
  readonly reason: UnsafePathReason;

  constructor(path: string, reason: UnsafePathReason, explanation: string) {
    // JSON keeps control characters out of logs
    super(`the path ${JSON.stringify(path)} is refused: ${explanation}`);
    this.path = path;
    this.reason = reason;
  }
}
