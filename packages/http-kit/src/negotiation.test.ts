import { describe, expect, it } from '@jest/globals';
import { mediaTypeOf, negotiate } from './negotiation.js';

const offered = ['application/json', 'text/uri-list', 'text/html'] as const;

describe('negotiation', () => {
  it.each([
    ['text/html', 'text/html'],
    ['text/html;q=0.5, text/uri-list;q=0.9', 'text/uri-list'],
    ['text/html, text/uri-list', 'text/uri-list'],
    ['*/*', 'application/json'],
    ['text/*', 'text/uri-list'],
    ['*/*, application/json;q=0', 'text/uri-list'],
    ['text/html;q=x, text/uri-list', 'text/uri-list'],
    ['image/png', null],
    [undefined, null],
  ] as const)('%s chooses %s', (header, chosen) => {
    expect(negotiate(header, offered)).toBe(chosen);
  });

  it('reads a media type without its parameters', () => {
    expect(mediaTypeOf('Text/CSV; charset=utf-8')).toBe('text/csv');
    expect(mediaTypeOf('')).toBeNull();
    expect(mediaTypeOf(undefined)).toBeNull();
  });
});
