/**
 * Worked examples that need what a later issue of the plan builds; their tests are shown as skipped with the reason.
 * Whoever builds it removes the row. A key is a number, followed by the part when only a part of the example waits.
 */
export const waiting: ReadonlyMap<string, string> = new Map([]);
