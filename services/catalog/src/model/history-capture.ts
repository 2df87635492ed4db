import type { Annotations } from './model.js';

const KEY = /^tag:[^,]+,2020:history-capture$/;

/**
 * Whether annotations of a table leave its history captured, whoever is the authority of the key (spec/catalog-model.md 21).
 * @returns null for a value without a meaning
 */
export function capturesHistory(annotations: Annotations): boolean | null {
  const values = Object.entries(captureMarks(annotations)).map(([, value]) => value);
  if (values.some((value) => typeof value !== 'boolean')) return null;
  return !values.includes(false);
}

/** The annotations that switch the capture of history. */
export function captureMarks(annotations: Annotations): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => KEY.test(key)));
}
