import { describe, expect, it } from '@jest/globals';
import {
  formatOfAcceptParameter,
  negotiateTabular,
  parseTabularContentType,
  type TabularFormat,
} from './media-types.js';

describe('negotiateTabular', () => {
  const rows: readonly (readonly [string | undefined, string | undefined, TabularFormat])[] = [
    [undefined, undefined, 'json'],
    ['', undefined, 'json'],
    ['*/*', undefined, 'json'],
    ['image/png', undefined, 'json'],
    ['text/csv', undefined, 'csv'],
    ['TEXT/CSV', undefined, 'csv'],
    ['application/x-json-stream', undefined, 'json-stream'],
    ['text/csv;q=0.1, application/json', undefined, 'json'],
    ['application/json;q=0.5, text/csv;q=0.6', undefined, 'csv'],
    ['text/csv, application/json', undefined, 'csv'],
    ['application/json, text/csv', undefined, 'json'],
    ['text/*', undefined, 'csv'],
    ['application/*', undefined, 'json'],
    ['text/html, text/*;q=0.1', undefined, 'csv'],
    ['text/csv;q=0, */*', undefined, 'json'],
    ['text/csv;q=0', undefined, 'json'],
    ['application/json;q=0, */*;q=0.5', undefined, 'json-stream'],
    ['text/csv;q=abc, application/x-json-stream;q=0.1', undefined, 'json-stream'],
    ['text/csv;q=2', undefined, 'json'],
    ['nonsense, ;;, text/csv', undefined, 'csv'],
    ['text/html;x="a,text/csv,b", application/x-json-stream', undefined, 'json-stream'],
    ['text/csv; header=present; q=0.9, application/json; q=0.8', undefined, 'csv'],
    ['application/json', 'csv', 'csv'],
    ['application/json', 'text/csv', 'csv'],
    ['text/csv', 'json', 'json'],
    ['text/csv', 'application/x-json-stream', 'json-stream'],
    ['text/csv', 'xml', 'csv'],
    ['text/csv', 'json-stream', 'csv'],
    ['text/csv', '', 'csv'],
  ];
  it.each(rows)('Accept %s, accept=%s', (accept, parameter, expected) => {
    expect(negotiateTabular(accept, parameter)).toBe(expected);
  });

  it('falls back to the format of the body where nothing was asked for', () => {
    expect(negotiateTabular(undefined, undefined, 'csv')).toBe('csv');
    expect(negotiateTabular('image/png', 'xml', 'json-stream')).toBe('json-stream');
    expect(negotiateTabular('*/*', undefined, 'csv')).toBe('json');
  });

  it('has no short form for the stream format', () => {
    expect(formatOfAcceptParameter('json-stream')).toBeNull();
  });
});

describe('parseTabularContentType', () => {
  const accepted: readonly (readonly [string | undefined, TabularFormat])[] = [
    [undefined, 'json'],
    ['', 'json'],
    ['  ', 'json'],
    ['application/json', 'json'],
    ['Application/JSON; charset=UTF-8', 'json'],
    ['text/csv;charset="utf-8"', 'csv'],
    ['text/csv; header=present', 'csv'],
    ['text/csv; charset=us-ascii', 'csv'],
    ['application/x-json-stream', 'json-stream'],
  ];
  it.each(accepted)('accepts %s', (header, format) => {
    expect(parseTabularContentType(header)).toEqual({ kind: 'accepted', format });
  });

  const refused = ['text/plain', 'application/x-www-form-urlencoded', 'text/csv; charset=iso-8859-1', 'csv', ';'];
  it.each(refused)('refuses %s', (header) => {
    expect(parseTabularContentType(header).kind).toBe('unsupported');
  });
});
