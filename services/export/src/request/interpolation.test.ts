import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Lookup, namesOf, parseTemplate, render, variableText } from './interpolation.js';

const values: Lookup = (name) => {
  const known: Record<string, string> = { acc: 'a/b', 'my column': 'x', RID: '1-A', sly: '{acc}' };
  const text = known[name];
  return text === undefined ? null : { text, source: 'request' };
};

function filled(text: string): string {
  return render(parseTemplate(text, '/p'), values, '/p');
}

describe('interpolation', () => {
  it.each([
    ['d_{RID}', 'd_1-A'],
    ['{my column}/{acc}', 'x/a/b'],
    ['k={acc_urlencoded}', 'k=a%2Fb'],
    ['{{lit}}', '{lit}'],
    ['{{{RID}}}', '{1-A}'],
    ['{sly}', '{acc}'],
    ['', ''],
  ])('makes %j into %j', (text, result) => expect(filled(text)).toBe(result));

  it.each(['{x.__class__}', '{a[0]}', '{a!r}', '{a:>5}', '{}', '{', '}', 'a}b', '{a', '{a{b}}'])(
    'refuses %j when it is read',
    (text) => expect(() => parseTemplate(text, '/p')).toThrow(expect.objectContaining({ code: 'bad_variable' })),
  );

  it('refuses a name that stands for nothing', () => {
    expect(() => filled('{nope}')).toThrow('/p uses {nope}');
  });

  it('says which names it needs', () => {
    expect(namesOf(parseTemplate('{a}-{b c}-{{d}}-{a}', '/p'))).toEqual(['a', 'b c', 'a']);
  });

  it('leaves text without braces as it is, and any text once its braces are doubled', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(filled(text.replaceAll('{', '{{').replaceAll('}', '}}'))).toBe(text);
      }),
    );
  });

  it('never looks up anything but plain names', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          for (const name of namesOf(parseTemplate(text, '/p'))) expect(name).toMatch(/^[^{}[\].!:]+$/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_variable' });
        }
      }),
    );
  });

  it.each([
    ['text', 'text'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, ''],
    [{ a: [1] }, '{"a":[1]}'],
  ])('writes the value %j as %j', (value, text) => expect(variableText(value)).toBe(text));
});
