import { AppError } from '@holdfast/http-kit';
import type { Annotations } from '../model/model.js';

/**
 * Refuses an annotation of a table whose value has no meaning (spec/catalog-model.md 21). On other elements it has no effect.
 * @throws {AppError} `bad_json`
 */
export function requireCaptureValue(annotations: Annotations): void {
  for (const [key, value] of Object.entries(annotations)) {
    if (/^tag:[^,]+,2020:history-capture$/.test(key) && typeof value !== 'boolean')
      throw new AppError('bad_json', 'The annotation history-capture of a table is true or false.');
  }
}
