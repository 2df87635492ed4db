/** Where an export is in its life (spec/export.md 10.2). `expired` is a row that is gone. */
export const exportStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ExportState = (typeof exportStates)[number];

/**
 * What can happen to an export.
 *
 * | event | when |
 * |---|---|
 * | `claim` | a worker takes it up; the attempt counts one up |
 * | `complete` | the worker has published its results |
 * | `fail` | the worker cannot go on, nobody took it up in time, or it could not be queued |
 * | `requeue` | its worker is gone: the lease ran out |
 * | `cancel` | the caller does not want it any more |
 */
export type ExportEvent = 'claim' | 'complete' | 'fail' | 'requeue' | 'cancel';

/** States an event may happen in, and the state after it. The statements of the store are made from this table. */
export const transitions: Readonly<
  Record<ExportEvent, { readonly from: readonly ExportState[]; readonly to: ExportState }>
> = {
  claim: { from: ['queued'], to: 'running' },
  complete: { from: ['running'], to: 'completed' },
  fail: { from: ['queued', 'running'], to: 'failed' },
  requeue: { from: ['running'], to: 'queued' },
  cancel: { from: ['queued', 'running'], to: 'cancelled' },
};

/** Whether nothing happens to an export of this state by itself any more. */
export function isFinal(state: ExportState): boolean {
  return !Object.values(transitions).some(({ from }) => from.includes(state));
}
