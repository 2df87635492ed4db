import { HttpError, TransportError } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import { TabularError } from '@holdfast/tabular';

/** Characters of an upstream message that are quoted. */
const MOST_QUOTED = 4_096;

/**
 * What an error of the catalog or object store means for the export (spec/export.md 11).
 * @param what whom was asked for what, for the message: `The catalog refused /entity/s:t`
 */
export function upstreamError(error: unknown, what: string): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof HttpError) return refusal(error, what);
  if (error instanceof TransportError) {
    return error.kind === 'timeout'
      ? new AppError('upstream_stalled', `${what}: no answer in time.`, { cause: error })
      : new AppError('upstream_failed', `${what}: the connection failed.`, { cause: error });
  }
  if (error instanceof TabularError) {
    return error.code === 'row_too_long'
      ? new AppError('bad_request', `${what}: ${error.message}.`, { cause: error })
      : new AppError('upstream_failed', `${what}: the answer is not what it should be: ${error.message}.`, {
          cause: error,
        });
  }
  const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === 'UND_ERR_BODY_TIMEOUT')
    return new AppError('upstream_stalled', `${what}: no byte came for too long.`, { cause: error });
  // a transfer that broke off in the middle
  return typeof code === 'string' && /^(?:UND_ERR_|HPE_|ECONN|EPIPE|ETIMEDOUT)/.test(code)
    ? new AppError('upstream_failed', `${what}: the transfer broke off.`, { cause: error })
    : error;
}

function refusal(error: HttpError, what: string): AppError {
  const said = error.detail === '' ? '' : `: ${error.detail.slice(0, MOST_QUOTED)}`;
  const detail = `${what} (${error.status})${said}`;
  const options = { cause: error };
  if (error.status === 401) return new AppError('auth_required', detail, options);
  if (error.status === 403) return new AppError('forbidden', detail, options);
  if (error.status === 404) return new AppError('not_found', detail, options);
  return new AppError(error.status >= 500 ? 'upstream_failed' : 'upstream_refused', detail, options);
}
