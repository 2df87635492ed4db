import { AppError } from '@holdfast/http-kit';
import type { CatalogRequest } from './catalog-request.js';

/** Answers the data resources. */
export async function handleData(request: CatalogRequest): Promise<void> {
  throw new AppError('not_found', `There is no resource ${JSON.stringify(request.rest.slice(0, 200))} in a catalog.`);
}
