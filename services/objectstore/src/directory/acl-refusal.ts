import { AclError } from '@holdfast/acl';
import { AppError, denied, type ErrorCode } from '@holdfast/http-kit';

const CODES: Readonly<Partial<Record<AclError['code'], ErrorCode>>> = {
  bad_list: 'bad_json',
  bad_set: 'bad_json',
  unsupported_name: 'bad_request',
  would_orphan: 'would_orphan',
  not_in_list: 'not_found',
};

/** Runs a function of the pure access-list package; what it refuses becomes an answer. */
export function refusingAcls<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AclError)) throw error;
    if (error.code === 'no_owner_known') throw denied(true, 'Log in first: nobody would own what you create.');
    const place = error.pointer === '' ? '' : ` (at ${error.pointer})`;
    const sentence = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}${place}.`;
    throw new AppError(CODES[error.code] ?? 'bad_request', sentence, { cause: error });
  }
}
