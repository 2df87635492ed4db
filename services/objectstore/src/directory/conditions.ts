import { AppError, evaluatePreconditions } from '@holdfast/http-kit';

/** `If-Match` and `If-None-Match` of a change. */
export interface Conditions {
  /** Whether there is any: some states are costly to tag. */
  readonly present: boolean;
  /**
   * Judges them.
   * @param etag quoted tag of the present state, null when there is none
   * @throws {AppError} `precondition_failed`, with the tag
   */
  check(etag: string | null): void;
}

/** What the headers of a changing request ask of the state (spec/objectstore.md 3.2). */
export function conditionsOf(headers: {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}): Conditions {
  return {
    present: headers.ifMatch !== undefined || headers.ifNoneMatch !== undefined,
    check: (etag) => {
      const outcome = evaluatePreconditions({ method: 'PUT', ...headers, etag });
      if (outcome === 'proceed') return;
      const header = outcome === 'if_match_failed' ? 'If-Match' : 'If-None-Match';
      const state = etag === null ? 'there is no such state' : `the present tag is ${etag}`;
      throw new AppError('precondition_failed', `${header} does not hold: ${state}.`, {
        headers: { Vary: 'Authorization, Cookie', ...(etag === null ? {} : { ETag: etag }) },
      });
    },
  };
}
