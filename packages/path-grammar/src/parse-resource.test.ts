import { describe, expect, it } from '@jest/globals';
import type { DataResource } from './ast.js';
import { parseDataUrl, parseResource, resourceWord } from './parse-resource.js';
import { printResource } from './print-resource.js';
import { stripOffsets } from './strip-offsets.js';
import { PathSyntaxError, UnknownResourceError } from './syntax-error.js';

describe('the tree', () => {
  it('holds the path, projection, groups, sort and page keys of a URL, with their places', () => {
    const { resource } = parseResource(
      'attributegroup/A:=S:T/!a::lt::any(1,)/A:b;n:=cnt(*)@sort(n::desc::)@after(::null::)',
    );
    expect(resource).toEqual({
      kind: 'attributegroup',
      path: {
        root: {
          kind: 'table',
          alias: { text: 'A', offset: 15 },
          name: { kind: 'name', parts: ['S', 'T'], offset: 18 },
        },
        elements: [
          {
            kind: 'filter',
            condition: {
              kind: 'not',
              operand: {
                kind: 'comparison',
                column: { kind: 'name', parts: ['a'], offset: 23 },
                operator: 'lt',
                operand: {
                  kind: 'value-list',
                  quantifier: 'any',
                  values: [
                    { kind: 'literal', text: '1', offset: 34 },
                    { kind: 'literal', text: '', offset: 36 },
                  ],
                  offset: 30,
                },
              },
            },
          },
        ],
      },
      keys: [{ kind: 'column', output: null, column: { kind: 'name', parts: ['A', 'b'], offset: 38 } }],
      projection: [
        {
          kind: 'function',
          output: { text: 'n', offset: 42 },
          function: 'cnt',
          column: { kind: 'name', parts: ['*'], offset: 49 },
          offset: 45,
        },
      ],
      sort: {
        keys: [{ output: { text: 'n', offset: 57 }, descending: true }],
        after: { values: [{ kind: 'null', offset: 74 }], offset: 67 },
        before: null,
        offset: 51,
      },
    });
  });

  it('is frozen through and through', () => {
    const { resource, query } = parseResource('attribute/A:=T/$A/a=any(1,2)/x:=a,trs(RID)@sort(x)@after(1)?limit=5');
    expectFrozen(resource);
    expectFrozen(query);
  });

  it('counts offsets from the start of the target when the catalog segment is part of it', () => {
    const { cid, revision, resource } = parseDataUrl('a%2Fb@2/entity/S:T');
    expect({ cid, revision }).toEqual({ cid: 'a/b', revision: '2' });
    expect(resource).toMatchObject({ path: { root: { name: { offset: 15 } } } });
  });
});

describe('filters', () => {
  it('bind "!" tighter than "&", and "&" tighter than ";"', () => {
    expect(canonical('entity/T/!a=1&b=2;c=3')).toEqual(canonical('entity/T/((!a=1)&(b=2));(c=3)'));
    expect(canonical('entity/T/a=1&(b=2;c=3)')).toEqual('entity/T/a=1&(b=2;c=3)');
    expect(canonical('entity/T/!(!(a=1))')).toEqual('entity/T/!(!a=1)');
  });

  it('keep escaped punctuation as data and the case of names and values', () => {
    const { resource } = parseResource('entity/T/A%3AB=%2Fx%2C%28');
    expect(resource).toMatchObject({
      path: { elements: [{ condition: { column: { parts: ['A:B'] }, operand: { text: '/x,(' } } }] },
    });
  });

  it('treat keywords as ordinary names and values', () => {
    for (const url of ['entity/entity/sort=any', 'entity/left/full', 'attribute/any/null=left/cnt,bin,trs,desc']) {
      expect(canonical(url)).toBe(url);
    }
  });
});

describe('parentheses at the start of an element', () => {
  const kinds: readonly [string, string][] = [
    ['(a)', 'endpoint-link'],
    ['(a,S:T:b)', 'endpoint-link'],
    ['left(a)', 'endpoint-link'],
    ['(a)=(S:U:b)', 'mapping-link'],
    ['X:=full(a,b)=(S:U:c,d)', 'mapping-link'],
    ['(a=1)', 'filter'],
    ['(a=1)&(b=2)', 'filter'],
    ['(a::null::)', 'filter'],
    ['(!a=1)', 'filter'],
    ['((a=1);b=any(1,2))', 'filter'],
  ];
  for (const [element, kind] of kinds) {
    it(`make ${element} a ${kind}`, () => {
      expect(parseResource(`entity/T/${element}`).resource).toMatchObject({ path: { elements: [{ kind }] } });
    });
  }

  for (const element of ['%6Ceft(a)=(S:U:b)', 'LEFT(a)', '(a)=b', '(a)&(b=1)', '((a))', '(a,)', '()', 'X:=(a=1)']) {
    it(`refuse ${element}`, () => {
      expect(() => parseResource(`entity/T/${element}`)).toThrow(PathSyntaxError);
    });
  }
});

describe('names', () => {
  it('ignore a leading colon and leave the count of parts to resolution', () => {
    expect(canonical('attribute/:S:T/:a::lt::1/:A:b:c:d')).toBe('attribute/S:T/a::lt::1/A:b:c:d');
  });

  it('take a raw and an escaped asterisk as the same', () => {
    expect(canonical('attribute/T/%2A,A:%2a')).toBe('attribute/T/*,A:*');
  });

  it('that consist of dots are printed so that no URL library takes them for directories', () => {
    const printed = canonical('entity/T/%2E%2E');
    expect(new URL(`http://h/${printed}`).pathname).toBe('/entity/T/:..');
    expect(canonical(printed)).toBe(printed);
  });
});

describe('errors', () => {
  const cases: readonly [url: string, token: string, message: RegExp][] = [
    ['entity/T/a::GT::1', '::GT::', /lower case: ::gt::/],
    ['entity/T/a=(1,2)', '(', /any\(1,2\)/],
    ['entity/T/id!=1', '!', /!name=value/],
    ['entity/T/!!a=1', '!', /one "!"/],
    ['entity/T/a=::null::', '::', /name::null::/],
    ['entity/T/a=1,2', ',', /%2C/],
    ['entity/T/t=11:32', ':', /%3A/],
    ['entity/T/a=some(1)', 'some', /any\(\.\.\.\) and all/],
    ['entity/T/a=any(any(1))', '(', /do not nest/],
    ['entity/T/a=%zz', '%zz', /%25/],
    ['entity/T/a=50%', '%', /%25/],
    ['entity/T/a=%C3x', '%C3x', /UTF-8/],
    ['entity/T/a=%00', '%00', /NUL/],
    ['entity/T/a=x+y', '+', /%2B/],
    ['entity/T/a="x"', '"', /%22/],
    ['entity/T/\u00e9=1', '\u00e9', /percent-encoded as UTF-8/],
    ['entity//T', '/', /starts with a table/],
    ['entity/T//U', '/', /empty/],
    ['entity/T/', '', /empty/],
    ['entity/A:=B:=T', ':=', /one alias/],
    ['entity/T/A:=B:=U', ':=', /one alias/],
    ['entity/T/A:B:=U', ':=', /single word/],
    ['entity/T/A:=x=1', 'x', /filters and \$alias cannot/],
    ['entity/T/$S:A', 'S:A', /single word/],
    ['entity/T/LEFT(a)=(b)', '(', /lower case/],
    ['entity/T/(a)=(U:b,c)', '(U:b,c)', /1 on the left stand against 2/],
    ['entity/T@sort(A:c)', ':', /%3A/],
    ['entity/T@sort(a::asc::)', 'asc', /::desc::/],
    ['entity/T@sort(a)@after(1,2)', '@after(1,2)', /1 wanted, 2 given/],
    ['entity/T@sort(a)@sort(b)', '@', /one @sort/],
    ['entity/T@sort(a)@before(1)@before(2)', '@', /once/],
    ['entity/T@after(1)', '@', /@sort/],
    ['entity/T@order(a)', 'order', /@sort/],
    ['entity/T@sort()', ')', /output column/],
    ['attribute/T/n:=cnt(a)', 'cnt', /not to attribute/],
    ['attribute/T@sort(a)/a', '@', /very end/],
    ['attribute/T/a@sort(a)/b', '@', /very end/],
    ['attribute/T/a;b', ';', /attributegroup/],
    ['attribute/T/a:b:=c', ':=', /%3A/],
    ['attribute/T/x:=y:=c', ':=', /one name/],
    ['attribute/T/%62in(a;1;2;3)', '%62in', /written raw/],
    ['attributegroup/T/trs(RID)', 'trs', /after ";"/],
    ['attributegroup/T/;a', ';', /at least one/],
    ['attributegroup/T/a;cnt(*)', 'cnt', /x:=cnt/],
    ['attributegroup/T/a;b;c', ';', /second list/],
    ['aggregate/T/x:=trs(RID)', 'trs', /none/],
    ['aggregate/T/n:=cnt(*)@sort(n)', '@', /one row/],
    ['aggregate/T/x:=CNT(a)', 'CNT', /lower case: cnt/],
    ['aggregate/T/x:=median(a)', 'median', /unknown function/],
    ['attribute/T/bin(a;1;2)', ')', /bin\(column;count;low;high\)/],
    ['entity/T?accept=text/csv', '/', /percent-encode/],
    ['entity/T?a=1&&b=2', '&', /name of a query parameter/],
  ];
  for (const [url, token, message] of cases) {
    it(`${url} points at "${token}" and says what to do`, () => {
      const error = refusal(url);
      expect(error).toBeInstanceOf(PathSyntaxError);
      expect(error).toMatchObject({ token, message: expect.stringMatching(message) });
      if (error instanceof PathSyntaxError) expect(url.startsWith(token, error.offset)).toBe(true);
    });
  }

  it('distinguish an unknown resource from bad syntax', () => {
    for (const url of ['Entity/T', 'textfacet/x', 'meta', 'query', '', 'entity%2FT', 'entity@sort(a)', '%zz/T']) {
      expect(refusal(url)).toBeInstanceOf(UnknownResourceError);
    }
    for (const url of ['entity_rid', 'entity_rid/', 'entity_rid/1/', 'entity_rid/1/2']) {
      expect(refusal(url)).toBeInstanceOf(UnknownResourceError);
    }
    expect(refusal('entity_rid/a:b')).toBeInstanceOf(PathSyntaxError);
    expect(refusal('entity')).toBeInstanceOf(PathSyntaxError);
  });

  it('do not repeat a long token in full', () => {
    const error = refusal(`entity/T/a=${'x'.repeat(8000)}(`);
    expect(error).toMatchObject({ message: expect.stringMatching(/^.{0,300}$/) });
  });
});

describe('resourceWord', () => {
  it('is what stands before the first slash or question mark, as written', () => {
    expect(['schema/S', 'entity?x=1', '', 'ACL'].map(resourceWord)).toEqual(['schema', 'entity', '', 'ACL']);
  });
});

function canonical(url: string): string {
  const resource: DataResource = parseResource(url).resource;
  const printed = printResource(resource);
  expect(stripOffsets(parseResource(printed).resource)).toEqual(stripOffsets(resource));
  return printed;
}

function refusal(url: string): unknown {
  try {
    parseResource(url);
  } catch (error) {
    return error;
  }
  return undefined;
}

function expectFrozen(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  expect(Object.isFrozen(node)).toBe(true);
  for (const child of Object.values(node)) expectFrozen(child);
}
