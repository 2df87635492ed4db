import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type DataMethod,
  interpretQuery,
  lexSegments,
  PathSyntaxError,
  parseDataUrl,
  parseNameList,
  parseQualifiedName,
  parseResource,
  parseSingleName,
  parseValueList,
  printRequest,
  splitCatalogTarget,
  stripOffsets,
  UnknownResourceError,
} from '../src/index.js';
import { EXAMPLES } from './examples.js';

const URLS = EXAMPLES.flatMap((example) => [
  ...(example.parses ?? []),
  ...(example.syntax ?? []),
  ...(example.query ?? []),
]).filter((url) => url.length < 500);

const PIECES = [
  ...'()::;,=@&/?!$*%+ab1 \'"[]{}\\^<>#~.\u00e9\u0000\ud800',
  ...['::', ':=', '::null::', '::lt::', '::desc::', 'any(', 'all(', 'left(', 'right(', 'full(', 'bin(', 'cnt(', 'trs('],
  ...[
    '@sort(',
    '@after(',
    '@before(',
    '%2F',
    '%00',
    '%C3%A9',
    '%C3',
    '%ED%A0%80',
    '%F0%9F%90%8A',
    '%zz',
    'limit=',
    'T',
  ],
];
const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join(''));
const word = fc.constantFrom('entity/', 'attribute/', 'attributegroup/', 'aggregate/', 'entity_rid/', 'entity/S:T/');
const mutated = fc
  .tuple(fc.constantFrom(...URLS), fc.nat(), fc.nat(6), fc.oneof(soup, fc.constantFrom(...PIECES)))
  .map(([url, place, removed, inserted]) => {
    const at = place % (url.length + 1);
    return url.slice(0, at) + inserted + url.slice(at + removed);
  });
const spliced = fc.tuple(fc.constantFrom(...URLS), fc.constantFrom(...URLS), fc.nat(), fc.nat()).map(([a, b, i, j]) => {
  return a.slice(0, i % (a.length + 1)) + b.slice(j % (b.length + 1));
});
const input = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.tuple(word, soup).map(([head, tail]) => head + tail),
  mutated,
  spliced,
);

describe('any input', () => {
  it('gives a tree that prints back to itself, or one of the two errors with a place inside the text', () => {
    let parsed = 0;
    fc.assert(
      fc.property(input, fc.constantFrom<DataMethod>('GET', 'POST', 'PUT', 'DELETE'), (url, method) => {
        expectTypedErrors(url, () => {
          const request = parseResource(url);
          parsed += 1;
          expect(stripOffsets(parseResource(printRequest(request)))).toEqual(stripOffsets(request));
          interpretQuery(request, method);
        });
      }),
      { numRuns: 10_000 },
    );
    // a fuzz test that never gets past the first token proves nothing
    expect(parsed).toBeGreaterThan(300);
  });

  it('is handled likewise by the functions for whole targets and for model paths', () => {
    fc.assert(
      fc.property(input, (url) => {
        expectTypedErrors(url, () => parseDataUrl(url));
        expectTypedErrors(url, () => splitCatalogTarget(url));
        for (const parse of [parseSingleName, parseNameList, parseQualifiedName, parseValueList]) {
          expectTypedErrors(url, () => {
            for (const segment of lexSegments(url)) parse(segment);
          });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('may nest or repeat any construct without exhausting the stack', () => {
    const many = 20_000;
    const urls = [
      `entity/T/${'('.repeat(many)}a=1${')'.repeat(many)}`,
      `entity/T/${'!('.repeat(many)}a=1${')'.repeat(many)}`,
      `entity/T/${'('.repeat(many)}`,
      `entity/T/(${'a,'.repeat(many)}`,
      `entity/T${'/(a)'.repeat(many)}`,
      `entity/T/a=${'any('.repeat(many)}`,
      `entity/T/a=1${';a=1'.repeat(many)}`,
      `entity/T?${'&'.repeat(many)}`,
      `attribute/T/${'bin('.repeat(many)}`,
    ];
    for (const url of urls) expectTypedErrors(url, () => parseResource(url));
  });

  it('may hold a hundred levels of parentheses', () => {
    const nested = (depth: number) => `entity/T/${'('.repeat(depth)}a=1${')'.repeat(depth)}`;
    expect(parseResource(nested(100)).resource.kind).toBe('entity');
    expect(() => parseResource(nested(101))).toThrow(/nested deeper than 100/);
  });
});

function expectTypedErrors(url: string, action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof PathSyntaxError || error instanceof UnknownResourceError)) throw error;
    expect(error.offset).toBeGreaterThanOrEqual(0);
    expect(error.offset).toBeLessThanOrEqual(url.length);
    expect(error.message.length).toBeLessThan(400);
  }
}
