import { ALGORITHMS, type Algorithm, ARCHIVERS, type Archiver } from '@holdfast/bagit';
import { AppError } from '@holdfast/http-kit';
import { badRequest, type ObjectReader } from './document-reader.js';
import type { BagSettings } from './export-request.js';
import { type Lookup, parseTemplate, render } from './interpolation.js';

/** What a deployment says about bags that requests leave open. */
export interface BagDefaults {
  /** Null: a request must name its format. */
  readonly archiver: Archiver | null;
  /** Start of a name made from the time; null: a request must give a name. */
  readonly namePrefix: string | null;
  readonly algorithms: readonly Algorithm[];
}

/**
 * Reads the bag object (spec/export.md 2.4).
 * @param initial variables known before any query runs: the bag is named first
 * @throws {AppError} `bad_request`
 */
export function parseBag(bag: ObjectReader, defaults: BagDefaults, initial: Lookup, now: Date): BagSettings {
  return {
    name: bagName(bag, defaults, initial, now),
    archiver: archiver(bag, defaults),
    metadata: metadata(bag),
    algorithms: algorithms(bag, defaults),
    idempotent: bag.boolean('bag_idempotent') ?? false,
    strict: bag.boolean('bag_strict') ?? true,
    researchObject: bag.boolean('bag_ro') ?? false,
  };
}

function bagName(bag: ObjectReader, defaults: BagDefaults, initial: Lookup, now: Date): string {
  const pointer = `${bag.pointer}/bag_name`;
  const given = bag.string('bag_name');
  if (given === null) {
    if (defaults.namePrefix === null) throw badRequest(pointer, 'is missing.');
    return `${defaults.namePrefix}${now.toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '.')}`;
  }
  const name = render(parseTemplate(given, pointer), initial, pointer).normalize('NFC');
  const length = [...name].length;
  if (length < 1 || length > 128) throw badRequest(pointer, 'must have 1 to 128 characters.');
  // 250 bytes: with its extension it is one segment of a path
  if (
    /[/\\\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u.test(name) ||
    name.startsWith('.') ||
    Buffer.byteLength(name) > 250
  ) {
    throw badRequest(
      pointer,
      "may not have '/', '\\' or control characters, start with '.' or be longer than 250 bytes.",
    );
  }
  return name;
}

function archiver(bag: ObjectReader, defaults: BagDefaults): Archiver {
  const pointer = `${bag.pointer}/bag_archiver`;
  const given = bag.string('bag_archiver')?.toLowerCase();
  const chosen = given === undefined ? defaults.archiver : ARCHIVERS.find((known) => known === given);
  if (chosen !== null && chosen !== undefined) return chosen;
  throw badRequest(pointer, `must be one of ${ARCHIVERS.join(', ')}.`);
}

function metadata(bag: ObjectReader): BagSettings['metadata'] {
  const given = bag.object('bag_metadata');
  if (given === null) return null;
  return given.names().map((label) => {
    const pointer = `${given.pointer}/${label}`;
    const length = [...label].length;
    if (length < 1 || length > 100 || /[:\r\n]/.test(label) || label.trim() !== label) {
      throw badRequest(pointer, 'has a name that cannot be a label: 1 to 100 characters, no colon, no line end.');
    }
    const value = given.raw(label);
    if (typeof value !== 'string') throw badRequest(pointer, 'must be a string.');
    return { label, value };
  });
}

function algorithms(bag: ObjectReader, defaults: BagDefaults): Algorithm[] {
  const given = bag.array('bag_algorithms');
  if (given === null) return [...defaults.algorithms];
  const chosen = ALGORITHMS.filter((algorithm) => given.includes(algorithm));
  if (chosen.length === 0 || given.some((name) => !ALGORITHMS.some((known) => known === name))) {
    throw new AppError(
      'bad_request',
      `${bag.pointer}/bag_algorithms must name at least one of ${ALGORITHMS.join(', ')} and nothing else.`,
    );
  }
  return chosen;
}
