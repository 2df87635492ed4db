import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { joinPath, type ObjectStoreClient } from '@holdfast/clients';
import type { FoundSurvey } from './find-survey.js';

/** A row of the file table of a survey. */
export type FileRow = Readonly<Record<string, string | number>>;

const mediaTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
};

/**
 * Uploads the files of a survey into a namespace. The object store checks each against the hash taken here; the rows have what
 * the store says about the version it made.
 * @param namespace path with the prefix of the store, encoded
 */
export async function uploadFiles(
  store: ObjectStoreClient,
  namespace: string,
  found: FoundSurvey,
  signal: AbortSignal,
): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  for (const fileName of found.fileNames) rows.push(await uploadFile(store, namespace, found, fileName, signal));
  return rows;
}

async function uploadFile(
  store: ObjectStoreClient,
  namespace: string,
  { survey, directory, sizes }: FoundSurvey,
  fileName: string,
  signal: AbortSignal,
): Promise<FileRow> {
  const path = join(directory, fileName);
  const contentType = mediaTypes[extname(fileName)] ?? 'application/octet-stream';
  const url = await store.put(joinPath(namespace, fileName), createReadStream(path), {
    length: sizes.get(fileName) ?? 0,
    contentType,
    sha256: await sha256Of(path),
    fileName,
    onlyIf: 'absent',
    signal,
  });
  const { length, md5, sha256, contentType: stored } = await store.head(url, { signal });
  if (length === null || md5 === null || sha256 === null)
    throw new Error(`the object store tells neither length nor hashes of ${url}.`);
  return { ...survey.files.describe(fileName), filename: fileName, url, length, md5, sha256, media_type: stored };
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
