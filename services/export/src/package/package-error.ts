import { BagWriteError, type BagWriteErrorCode, UnsafePathError } from '@holdfast/bagit';
import { AppError, type ErrorCode } from '@holdfast/http-kit';

/** What each fault of the bag writer is for the caller (spec/export.md 11). */
const codes: Readonly<Record<BagWriteErrorCode, ErrorCode>> = {
  empty_bag: 'empty_bag',
  no_common_hash: 'no_common_hash',
  path_collision: 'bad_path',
  bad_name: 'bad_request',
  bad_metadata: 'bad_request',
  bad_reference: 'bad_request',
  length_mismatch: 'upstream_failed',
  bzip2_missing: 'internal',
  scratch_full: 'scratch_full',
  // never publish an invalid bag: that it is one is our fault
  invalid_bag: 'internal',
  usage: 'internal',
};

/** An error of packaging as one of the closed set; others pass unchanged. */
export function packageError(error: unknown): unknown {
  if (error instanceof BagWriteError) {
    const explained = error.code === 'empty_bag' ? `${error.message}; "bag_strict": false allows that` : error.message;
    return new AppError(codes[error.code], `The results cannot be packaged: ${explained}.`, { cause: error });
  }
  if (error instanceof UnsafePathError) return new AppError('bad_path', `${error.message}.`, { cause: error });
  return error;
}
