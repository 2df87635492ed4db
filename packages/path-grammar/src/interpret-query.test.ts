import { describe, expect, it } from '@jest/globals';
import { type DataMethod, type DataOptions, interpretQuery } from './interpret-query.js';
import { parseQuery, queryValues } from './parse-query.js';
import { parseResource } from './parse-resource.js';
import { PathSyntaxError } from './syntax-error.js';

describe('parseQuery', () => {
  it('reads repeated and listed values as one set, a raw plus as a blank and %2B as a plus', () => {
    const query = parseQuery('k=a,b&x;k=%2C+%2B&x=');
    expect(texts(query, 'k')).toEqual(['a', 'b', ', +']);
    expect(texts(query, 'x')).toEqual(['', '']);
    expect(queryValues(query, 'K')).toBeNull();
  });

  it('accepts nothing at all, and refuses empty parameters and values', () => {
    expect(parseQuery('')).toEqual([]);
    for (const text of ['&', 'a&', '=1', 'a=,', 'a=1,', 'a=1=2', 'a?b', 'a=%', 'a=%FF', 'a="', 'a=x:y']) {
      expect(() => parseQuery(text)).toThrow(PathSyntaxError);
    }
  });
});

describe('interpretQuery', () => {
  it('reads the limit as an exact number up to 2^63-1', () => {
    expect(options('entity/T').limit).toBeNull();
    for (const none of ['limit', 'limit=', 'limit=none', 'limit=NONE', 'LIMIT=1']) {
      expect(options(`entity/T?${none}`).limit).toBeNull();
    }
    expect(options('entity/T?limit=0').limit).toBe(0n);
    expect(options('entity/T?limit=00025&limit=00025').limit).toBe(25n);
    expect(options('entity/T?limit=9223372036854775807').limit).toBe(9223372036854775807n);
    for (const bad of ['x', '-1', '+1', '1.5', '1e3', '0x1', '9223372036854775808', '1,2', '1&limit=2', '&limit=2']) {
      expect(() => options(`entity/T?limit=${bad}`)).toThrow(PathSyntaxError);
    }
  });

  it('gives a parameter no effect where the resource or method has no use for it', () => {
    expect(options('aggregate/T/a?limit=x').limit).toBeNull();
    expect(options('entity/T?onconflict=foo', 'PUT').onConflict).toBe('abort');
    expect(options('entity/T?limit=x&download=a,b', 'POST')).toMatchObject({ limit: null, download: null });
    expect(options('entity/T?defaults=a', 'GET').defaults).toEqual([]);
    expect(options('entity_rid/1?accept=csv').accept).toBeNull();
    expect(options('entity/T@sort(a)@before(1)', 'POST').limit).toBeNull();
  });

  it('reads format parameters', () => {
    expect(options('entity/T?accept=text%2Fcsv&download=My%20File&arrays=json')).toMatchObject({
      accept: 'text/csv',
      download: 'My File',
      jsonArrays: true,
    });
    expect(options('entity/T?accept=&download=&arrays=x')).toMatchObject({
      accept: null,
      download: null,
      jsonArrays: false,
    });
    expect(() => options('entity/T?accept=csv,json')).toThrow(PathSyntaxError);
    expect(() => options('entity/T?download=a,b')).toThrow(PathSyntaxError);
  });

  it('reads the parameters of POST entity', () => {
    const read = options('entity/T?defaults=a,b&defaults=b&nondefaults=c&onconflict=SKIP', 'POST');
    expect(read.defaults.map((word) => word.text)).toEqual(['a', 'b']);
    expect(read.nondefaults).toEqual([{ text: 'c', offset: 45 }]);
    expect(read.onConflict).toBe('skip');
    for (const bad of ['', 'foo', 'skip,abort', 'skip&onconflict=skip']) {
      expect(() => options(`entity/T?onconflict=${bad}`, 'POST')).toThrow(PathSyntaxError);
    }
  });

  it('refuses on DELETE whatever would seem to narrow it', () => {
    for (const url of ['entity/T?limit=1', 'entity/T?limit', 'entity/T@sort(a)', 'attribute/T/a@sort(a)@after(1)']) {
      expect(() => options(url, 'DELETE')).toThrow(/DELETE/);
    }
  });

  it('wants a limit for paging backwards, and only then', () => {
    expect(() => options('entity/T@sort(a)@before(1)')).toThrow(/limit=/);
    expect(() => options('entity/T@sort(a)@before(1)?limit=none', 'HEAD')).toThrow(/limit=/);
    expect(options('entity/T@sort(a)@before(1)?limit=0').limit).toBe(0n);
    expect(options('entity/T@sort(a)@before(2)@after(1)').limit).toBeNull();
  });
});

function options(url: string, method: DataMethod = 'GET'): DataOptions {
  return interpretQuery(parseResource(url), method);
}

function texts(query: ReturnType<typeof parseQuery>, name: string): string[] | undefined {
  return queryValues(query, name)?.map((word) => word.text);
}
