import { describe, expect, it } from '@jest/globals';
import {
  interpretQuery,
  PathSyntaxError,
  parseDataUrl,
  parseResource,
  printRequest,
  stripOffsets,
  UnknownResourceError,
} from '../src/index.js';
import { CATALOG_TARGETS, EXAMPLES } from './examples.js';

describe('the worked examples of the specification', () => {
  for (const { example, method = 'GET', parses = [], syntax = [], query = [], unknown = [] } of EXAMPLES) {
    for (const url of parses) {
      it(`${example}: ${method} ${brief(url)} parses, and its canonical form means the same`, () => {
        const request = parseResource(url);
        interpretQuery(request, method);
        expect(stripOffsets(parseResource(printRequest(request)))).toEqual(stripOffsets(request));
      });
    }
    for (const url of syntax) {
      it(`${example}: ${method} ${url} is a syntax error that points into the URL`, () => {
        const error = refusal(() => parseResource(url));
        expect(error).toBeInstanceOf(PathSyntaxError);
        if (error instanceof PathSyntaxError) {
          expect(url.slice(error.offset, error.offset + error.token.length)).toBe(error.token);
          expect(error.message).toContain(`position ${error.offset}`);
        }
      });
    }
    for (const url of query) {
      it(`${example}: ${method} ${url} is refused for its parameters or modifiers`, () => {
        const request = parseResource(url);
        expect(refusal(() => interpretQuery(request, method))).toBeInstanceOf(PathSyntaxError);
      });
    }
    for (const url of unknown) {
      it(`${example}: ${method} ${url} is no resource`, () => {
        expect(refusal(() => parseResource(url))).toBeInstanceOf(UnknownResourceError);
      });
    }
  }

  for (const { target, cid, revision } of CATALOG_TARGETS) {
    it(`294: /catalog/${target} addresses catalog ${cid} at ${revision ?? 'its latest state'}`, () => {
      expect(parseDataUrl(target)).toMatchObject({ cid, revision, resource: { kind: 'entity' } });
    });
  }

  it('294: a snapshot mark without a snapshot is a syntax error', () => {
    expect(refusal(() => parseDataUrl('1@/entity/zoo:bare'))).toBeInstanceOf(PathSyntaxError);
  });
});

function brief(url: string): string {
  return url.length < 200 ? url : `${url.slice(0, 60)}… (${url.length} bytes)`;
}

function refusal(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
