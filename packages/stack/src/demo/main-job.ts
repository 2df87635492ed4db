import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describeFinding, httpFetch, validateBag } from '@holdfast/bagit';
import {
  type Catalog,
  catalogClient,
  type ExportClient,
  exportClient,
  type HttpClient,
  joinPath,
  objectStoreClient,
} from '@holdfast/clients';
import { bagRequest } from './bag-request.js';
import type { FoundSurvey } from './find-survey.js';
import { loadTables } from './load-tables.js';
import { modelDocuments } from './model-documents.js';
import type { Place } from './place.js';
import { byteText, type Progress } from './progress.js';
import type { Question, Survey } from './survey.js';
import { textTable } from './text-table.js';
import { type FileRow, uploadFiles } from './upload-files.js';

/** What the main job works with. */
export interface JobTools {
  readonly place: Place;
  readonly http: HttpClient;
  readonly token: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What the main job leaves on the server. */
export interface JobResult {
  readonly catalogId: string;
  readonly namespace: string;
  readonly bagUrl: string;
}

/**
 * The main job, start to end: model, rows, files, a question, a bag that is downloaded and validated with all it refers to.
 * @throws {StackError} that names the step that failed
 */
export async function runMainJob(tools: JobTools, found: FoundSurvey): Promise<JobResult> {
  const { place, http, progress, signal } = tools;
  const { survey } = found;
  const { catalog, id } = await createCatalog(tools, survey);
  await defineTables(catalog, survey, progress, signal);
  await loadTables(catalog, found, progress, signal);
  const { namespace, rows } = await storeFiles(tools, found, id);
  await recordFiles(catalog, survey, rows, progress, signal);
  await ask(catalog, survey.question, progress, signal);
  const exports = exportClient(http, place.prefixes.export);
  const bagUrl = await exportBag(tools, exports, survey, id);
  const bag = await downloadBag(tools, exports, survey, bagUrl);
  await validate(tools, bag, rows.length);
  return { catalogId: id, namespace, bagUrl };
}

async function createCatalog(
  { http, place, progress, signal }: JobTools,
  survey: Survey,
): Promise<{ readonly catalog: Catalog; readonly id: string }> {
  return progress.step('create a catalog', async () => {
    const { id, ...catalog } = await catalogClient(http, place.prefixes.catalog).createCatalog(
      { name: survey.title },
      { signal },
    );
    return { catalog, id, note: `${place.prefixes.catalog}/catalog/${id}` };
  });
}

async function defineTables(catalog: Catalog, survey: Survey, progress: Progress, signal: AbortSignal): Promise<void> {
  const { tables, files } = survey;
  const references = [...tables.flatMap((table) => table.references), ...files.references];
  await progress.step(`define ${tables.length + 1} tables`, async () => {
    await catalog.createModel(modelDocuments(survey), { signal });
    const composite = references.filter(({ columns }) => columns.length > 1).length;
    return { note: `${references.length} foreign keys, ${composite} of them composite` };
  });
}

async function storeFiles(
  { http, place, progress, signal }: JobTools,
  found: FoundSurvey,
  catalogId: string,
): Promise<{ readonly namespace: string; readonly rows: readonly FileRow[] }> {
  const store = objectStoreClient(http);
  const namespace = joinPath(place.prefixes.objectStore, 'demo', `catalog-${catalogId}`, found.survey.name);
  await progress.step('create a namespace', async () => {
    await store.createNamespace(namespace, { parents: true, signal });
    return { note: namespace };
  });
  const { uploaded } = await progress.step(`upload ${found.fileNames.length} files`, async () => ({
    uploaded: await uploadFiles(store, namespace, found, signal),
    bytes: found.fileNames.reduce((sum, name) => sum + (found.sizes.get(name) ?? 0), 0),
  }));
  return { namespace, rows: uploaded };
}

async function recordFiles(
  catalog: Catalog,
  { schema, files }: Survey,
  rows: readonly FileRow[],
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  await progress.step(`record them in ${files.table}`, async () => {
    const answer = await catalog.createEntities({ schema, table: files.table }, { kind: 'objects', rows }, { signal });
    let stored = 0;
    for await (const _ of answer.rows()) stored += 1;
    if (stored !== rows.length) throw new Error(`${stored} rows were stored instead of ${rows.length}.`);
    return { rows: stored, note: 'versioned URLs, lengths, MD5 and SHA-256' };
  });
}

async function ask(catalog: Catalog, question: Question, progress: Progress, signal: AbortSignal): Promise<void> {
  const { answer } = await progress.step('ask a question', async () => {
    const response = await catalog.query(question.path, { signal });
    const text = await response.text();
    const rows: unknown = JSON.parse(text);
    if (!Array.isArray(rows) || rows.length === 0) throw new Error(`the answer has no rows: ${text}`);
    return {
      answer: rows,
      rows: rows.length,
      bytes: Buffer.byteLength(text),
      note: `${joinedTables(question)} tables joined`,
    };
  });
  progress.say(`\n    ${question.words}\n    GET ${question.path}\n\n${textTable(answer)}\n`);
}

/** Each table of the path has an alias. */
function joinedTables({ path }: Question): number {
  return [...path.matchAll(/\/\w+:=\w+:\w+(?=\/)/g)].length;
}

async function exportBag(
  { place, progress, signal }: JobTools,
  exports: ExportClient,
  survey: Survey,
  catalogId: string,
): Promise<string> {
  const { url } = await progress.step('export a bag', async () => {
    const { urls } = await exports.run('bag', bagRequest(survey, place.url, catalogId), { signal });
    const [first] = urls;
    if (first === undefined) throw new Error('the export service names no bag.');
    return { url: first, note: `${survey.tables.length} CSV files, 1 JSON file, fetch entries` };
  });
  return url;
}

async function downloadBag(
  { place, progress, signal }: JobTools,
  exports: ExportClient,
  survey: Survey,
  url: string,
): Promise<string> {
  const path = join(place.scratch, `${survey.name}.zip`);
  await progress.step('download it', async () => {
    const answer = await exports.fetch(url, { signal });
    const file = createWriteStream(path);
    await pipeline(answer.body, file, { signal });
    const promised = Number(answer.headers['content-length']);
    if (file.bytesWritten !== promised)
      throw new Error(`${file.bytesWritten} bytes came instead of ${promised}, which Content-Length promised.`);
    return { bytes: file.bytesWritten, note: url };
  });
  return path;
}

async function validate({ http, token, progress }: JobTools, bag: string, references: number): Promise<void> {
  const fetch = httpFetch({ headers: { authorization: `Bearer ${token}` }, trustedOrigins: [http.origin] });
  const { warnings } = await progress.step('validate it', async () => {
    const report = await validateBag(bag, { fetch });
    if (!report.valid) throw new Error(`the bag is not valid. ${report.errors.map(describeFinding).join('; ')}`);
    const { payload, fetch: fetched, algorithms, version } = report;
    if (fetched.fetched !== references)
      throw new Error(`the bag refers to ${fetched.fetched} files, ${references} were recorded.`);
    return {
      warnings: report.warnings,
      note: `BagIt ${version}, ${payload.files} files of ${byteText(payload.bytes)}, ${fetched.fetched} fetched, ${algorithms.join(' ')}`,
    };
  });
  for (const warning of warnings) progress.say(`    warning: ${describeFinding(warning)}\n`);
}
