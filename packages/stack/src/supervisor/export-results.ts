import { tokens } from '../dev-identities.js';
import { exportServiceId } from '../services.js';
import { StackError } from '../stack-error.js';

/**
 * Makes the namespace that the export service puts its results into, and lets it create and own what is below.
 * Safe to repeat. `url` is of the object store, without a prefix.
 */
export async function prepareExportResults(url: string, signal: AbortSignal): Promise<void> {
  const namespace = `${url}/objects/export-results`;
  await put(namespace, 'application/x-objstore-namespace', '', [409], signal);
  for (const mode of ['create', 'subtree-owner']) {
    await put(`${namespace};acl/${mode}`, 'application/json', JSON.stringify([exportServiceId]), [], signal);
  }
}

async function put(
  url: string,
  type: string,
  body: string,
  alsoFine: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': type },
    body,
    signal,
  });
  const text = await response.text();
  if (response.ok || alsoFine.includes(response.status)) return;
  throw new StackError(
    `The object store refused to prepare the namespace of export results (${response.status}): ${text.slice(0, 500)}`,
  );
}
