import { ALGORITHMS, ARCHIVERS } from '@holdfast/bagit';
import { z } from 'zod';

const tableFormats = ['csv', 'json', 'json-stream'] as const;

const paging = z.strictObject({
  /** Rows of a page. */
  size: z.number(),
  /** They identify a row together. */
  sortColumns: z.array(z.string()).min(1),
});

const query = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('env'),
    /** JSON pointer of the query in the request, for messages. */
    pointer: z.string(),
    queryPath: z.string(),
    /** Null: all columns. */
    keys: z.array(z.string()).nullable(),
  }),
  z.strictObject({
    kind: z.literal('table'),
    pointer: z.string(),
    format: z.enum(tableFormats),
    queryPath: z.string(),
    /** Path of the file before its extension: directory and name joined. */
    outputPath: z.string(),
    /** Null: in one stream. */
    paging: paging.nullable().default(null),
  }),
  z.strictObject({
    kind: z.enum(['fetch', 'download']),
    pointer: z.string(),
    queryPath: z.string(),
    /** Directory; may be empty. */
    outputPath: z.string(),
    outputFilename: z.string().nullable(),
    paging: paging.nullable().default(null),
  }),
  z.strictObject({
    kind: z.literal('external'),
    pointer: z.string(),
    /** `processor_type`, as the configuration has it. */
    type: z.string(),
    queryPath: z.string(),
    outputPath: z.string(),
    outputFilename: z.string().nullable(),
    /** `processor_params` as they came: what they mean is the processor's matter. */
    params: z.record(z.string(), z.unknown()),
  }),
]);

const bag = z.strictObject({
  name: z.string(),
  archiver: z.enum(ARCHIVERS),
  /** Null: the request has none, so that we name the sender. */
  metadata: z.array(z.strictObject({ label: z.string(), value: z.string() })).nullable(),
  algorithms: z.array(z.enum(ALGORITHMS)),
  idempotent: z.boolean(),
  strict: z.boolean(),
  researchObject: z.boolean(),
});

/**
 * A request that passed all checks that can be made before the catalog is asked: both forms made one (spec/export.md 3), no
 * secrets in it. It is stored as it is; texts with `{name}` are templates that were read once already.
 */
export const exportRequestSchema = z.strictObject({
  catalog: z.strictObject({
    /** As configured. */
    publicHost: z.string(),
    /** As the request wrote it, without scheme: the variable `hostname`. */
    hostname: z.string(),
    id: z.string(),
    /** The request itself names a snapshot. */
    snapshot: z.string().nullable(),
  }),
  /** Values known from the start, as text. */
  variables: z.record(z.string(), z.string()),
  queries: z.array(query),
  bag: bag.nullable(),
});

/** Parsed form of {@link exportRequestSchema}. */
export type ExportRequest = z.output<typeof exportRequestSchema>;
export type ExportQuery = ExportRequest['queries'][number];
export type EnvQuery = Extract<ExportQuery, { readonly kind: 'env' }>;
export type TableQuery = Extract<ExportQuery, { readonly kind: 'table' }>;
/** `fetch` and `download`: rows that point at files. */
export type AssetQuery = Extract<ExportQuery, { readonly kind: 'fetch' | 'download' }>;
/** One for a processor that the operator has added. */
export type ExternalQuery = Extract<ExportQuery, { readonly kind: 'external' }>;
/** How a query is read page by page. */
export type Paging = z.output<typeof paging>;
export type BagSettings = NonNullable<ExportRequest['bag']>;
export type TableFormat = (typeof tableFormats)[number];

/** `file`: one file for each query; `bag`: all of them in one archive. */
export type ExportKind = 'file' | 'bag';
