import { AppError } from '@holdfast/http-kit';
import { badRequest, escapePointer, type ObjectReader, readObject } from './document-reader.js';
import type { ExportQuery, Paging } from './export-request.js';

/** What a processor keyword stands for; `dir` is accepted and does nothing. */
type Processor = 'env' | 'csv' | 'json' | 'json-stream' | 'download' | 'fetch' | 'dir';

/** One that the operator has added. */
interface External {
  readonly external: string;
}

const PROCESSORS: readonly Processor[] = ['env', 'csv', 'json', 'json-stream', 'download', 'fetch', 'dir'];

/** Rows of a page (spec/export.md 3). */
const DEFAULT_PAGE = 100_000;

/** Last part of the class names of the reference's built-ins (spec/export.md 5.4). */
const CLASSES: Readonly<Record<string, Processor>> = {
  JSONEnvUpdateProcessor: 'env',
  CSVQueryProcessor: 'csv',
  JSONQueryProcessor: 'json',
  JSONStreamQueryProcessor: 'json-stream',
  FileDownloadQueryProcessor: 'download',
  BagFetchQueryProcessor: 'fetch',
  CreateDirProcessor: 'dir',
};

/** One query of either form, with what is worth a warning. `query` is null for a query that does nothing. */
export interface ParsedQuery {
  readonly query: ExportQuery | null;
  readonly warnings: readonly string[];
}

/**
 * Reads a query object: form A (`output_format`), form B (`processor`, `processor_params`), or any mixture (spec/export.md 3).
 * @param external names of processors that the operator has added
 * @throws {AppError} `bad_request`
 */
export function parseQuery(value: unknown, pointer: string, external: ReadonlySet<string>): ParsedQuery {
  const own = readObject(value, pointer);
  const params = own.object('processor_params');
  const processor = processorOf(own, external);
  const member = memberReader(own, params);
  const warnings: string[] = [];
  const query =
    typeof processor === 'string'
      ? queryOf(processor, member, pointer, warnings)
      : externalQuery(processor.external, member, params, pointer);
  warnings.push(...own.unread().map((unknown) => `${unknown} is not known and was ignored`));
  return { query, warnings };
}

function queryOf(processor: Processor, member: MemberReader, pointer: string, warnings: string[]): ExportQuery | null {
  if (processor === 'dir') {
    member.ignore();
    warnings.push(`${pointer} asks for an empty directory, which archives cannot be relied on to keep; it was ignored`);
    return null;
  }
  const queryPath = member.string('query_path');
  if (queryPath === null) throw badRequest(`${pointer}/query_path`, 'is missing.');
  const outputPath = member.string('output_path');
  const outputFilename = member.string('output_filename') ?? member.string('output_name');
  const paging = pagingOf(member, pointer);
  const keys = member.strings('query_keys');
  switch (processor) {
    case 'env':
      return { kind: 'env', pointer, queryPath, keys };
    case 'csv':
    case 'json':
    case 'json-stream': {
      if (outputPath === null) throw badRequest(`${pointer}/output_path`, 'is missing.');
      // with a file name, the whole of output_path is a directory (spec/export.md 5.1)
      const path = outputFilename === null ? outputPath : `${outputPath}/${outputFilename}`;
      return { kind: 'table', pointer, format: processor, queryPath, outputPath: path, paging };
    }
    case 'download':
    case 'fetch':
      return { kind: processor, pointer, queryPath, outputPath: outputPath ?? '', outputFilename, paging };
    default: {
      const unknown: never = processor;
      throw new AppError('internal', `No processor ${String(unknown)}.`);
    }
  }
}

/** What it makes of its parameters is its own matter: none of them is unknown. */
function externalQuery(type: string, member: MemberReader, params: ObjectReader | null, pointer: string): ExportQuery {
  const queryPath = member.string('query_path');
  if (queryPath === null) throw badRequest(`${pointer}/query_path`, 'is missing.');
  const outputPath = member.string('output_path') ?? '';
  const outputFilename = member.string('output_filename') ?? member.string('output_name');
  const named = (params?.names() ?? []).map((name) => [name, params?.raw(name) ?? null] as const);
  return { kind: 'external', pointer, type, queryPath, outputPath, outputFilename, params: Object.fromEntries(named) };
}

/** Null: the result is read in one stream, of any length. */
function pagingOf(member: MemberReader, pointer: string): Paging | null {
  const wanted = member.boolean('paged_query');
  const size = member.integer('paged_query_size') ?? DEFAULT_PAGE;
  if (size < 1) throw badRequest(`${pointer}/paged_query_size`, 'must be at least 1.');
  const sortColumns = member.strings('paged_query_sort_columns') ?? ['RID'];
  if (sortColumns.length === 0) throw badRequest(`${pointer}/paged_query_sort_columns`, 'must name a column.');
  return wanted === true ? { size, sortColumns } : null;
}

function processorOf(own: ObjectReader, external: ReadonlySet<string>): Processor | External {
  const named = own.string('processor');
  const format = own.string('output_format');
  const type = own.string('processor_type');
  if (named !== null && format !== null && named !== format) {
    throw badRequest(own.pointer, 'has a processor and another output_format; say one of them.');
  }
  const keyword = named ?? format;
  if (keyword === null) throw badRequest(own.pointer, 'must have a processor (or output_format).');
  if (type !== null && external.has(type)) return { external: type };
  if (type !== null && type !== '') return builtIn(type, own.pointer);
  const processor = PROCESSORS.find((known) => known === keyword);
  if (processor !== undefined) return processor;
  const known = PROCESSORS.filter((name) => name !== 'dir').join(', ');
  throw badRequest(own.pointer, `asks for the processor ${JSON.stringify(keyword)}; known are ${known}.`);
}

/** Code is never loaded from a request: only names known here count. */
function builtIn(type: string, pointer: string): Processor {
  const processor = CLASSES[type.split('.').at(-1) ?? ''];
  if (processor !== undefined) return processor;
  throw badRequest(`${pointer}/processor_type`, `names ${JSON.stringify(type)}, which is not registered here.`);
}

/** Members of `processor_params`, or of the query itself where the former has none. */
interface MemberReader {
  string(name: string): string | null;
  boolean(name: string): boolean | null;
  integer(name: string): number | null;
  strings(name: string): string[] | null;
  /** Everything there is counts as read. */
  ignore(): void;
}

function memberReader(own: ObjectReader, params: ObjectReader | null): MemberReader {
  const places = params === null ? [own] : [params, own];
  const first = <Type>(read: (place: ObjectReader) => Type | null): Type | null => {
    // both are read, so that neither is taken for unknown
    const found = places.map(read);
    return found.find((value) => value !== null) ?? null;
  };
  return {
    string: (name) => first((place) => place.string(name)),
    boolean: (name) => first((place) => place.boolean(name)),
    integer: (name) => first((place) => place.integer(name)),
    strings: (name) => {
      const list = first((place) => place.array(name));
      if (list === null) return null;
      return list.map((item, index) => {
        if (typeof item === 'string') return item;
        throw badRequest(`${own.pointer}/${escapePointer(name)}/${index}`, 'must be a string.');
      });
    },
    ignore: () => {
      for (const place of places) for (const name of place.names()) place.raw(name);
    },
  };
}
