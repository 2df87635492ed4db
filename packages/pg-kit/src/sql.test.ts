import { describe, expect, it } from '@jest/globals';
import { compile, identifier, inline, join, literal, nothing, sql } from './sql.js';

describe('sql fragments', () => {
  it('turns values into parameters and numbers them over nested fragments', () => {
    const condition = sql`${identifier('a')} = ${1}`;
    const statement = sql`select * from ${identifier('S', 'T')} where ${condition} and b = ${'x'}`;
    expect(compile(statement)).toEqual({ text: 'select * from "S"."T" where "a" = $1 and b = $2', values: [1, 'x'] });
  });

  it('joins fragments and leaves nothing for the empty one', () => {
    expect(compile(sql`a ${join([sql`x = ${1}`, sql`y = ${2}`], ' and ')}${nothing}`)).toEqual({
      text: 'a x = $1 and y = $2',
      values: [1, 2],
    });
  });

  it('quotes identifiers and literals with hostile text', () => {
    expect(compile(identifier('a"b', 'c'))).toEqual({ text: '"a""b"."c"', values: [] });
    expect(compile(literal("it's \\ here"))).toEqual({ text: " E'it''s \\\\ here'", values: [] });
  });

  it('refuses NUL, which PostgreSQL cannot hold', () => {
    expect(() => identifier('a\u0000')).toThrow(TypeError);
    expect(() => literal('a\u0000')).toThrow(TypeError);
    expect(() => inline(sql`${'a\u0000'}`)).toThrow(TypeError);
  });
});
