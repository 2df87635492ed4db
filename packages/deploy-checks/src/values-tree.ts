import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';

/** One value of a chart: what its values.yaml says about it. */
export interface Value {
  readonly name: string;
  /** The comment above it. */
  readonly description: string;
  readonly initial: unknown;
  /** What a line `# @schema {…}` adds to what follows from the initial value. */
  readonly narrowed: Readonly<Record<string, unknown>> | null;
  /** Of a map that is not empty. */
  readonly children: readonly Value[];
}

/**
 * Reads a values.yaml with its comments.
 * @throws when it is no map, or a line `@schema` is no JSON
 */
export function readValues(text: string): readonly Value[] {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw document.errors[0];
  if (!isMap(document.contents)) throw new Error('values.yaml must be a map.');
  return valuesOf(document.contents);
}

function valuesOf(map: YAMLMap): readonly Value[] {
  // the comment of the first one is that of the map
  return map.items.map((pair, index) => oneValue(pair, index === 0 ? (map.commentBefore ?? '') : ''));
}

function oneValue(pair: Pair, firstComment: string): Value {
  if (!isScalar(pair.key)) throw new Error('Names of values must be words.');
  const comment = pair.key.commentBefore ?? firstComment;
  // what stands above an empty line belongs to the file or to a part of it
  const lines = (comment.split(/\n\s*\n/).at(-1) ?? '').split('\n').map((line) => line.trim());
  const annotation = lines.find((line) => line.startsWith('@schema '));
  const children = isMap(pair.value) && !isFlow(pair.value) ? valuesOf(pair.value) : [];
  return {
    name: String(pair.key.value),
    description: lines
      .filter((line) => line !== annotation)
      .join(' ')
      .trim(),
    initial: toPlain(pair.value),
    narrowed: annotation === undefined ? null : narrowing.parse(JSON.parse(annotation.slice('@schema '.length))),
    children,
  };
}

const narrowing = z.record(z.string(), z.unknown());

function isFlow(map: YAMLMap): boolean {
  return map.flow === true;
}

function toPlain(node: unknown): unknown {
  return typeof node === 'object' && node !== null && 'toJSON' in node && typeof node.toJSON === 'function'
    ? node.toJSON()
    : (node ?? null);
}
