/** spec/objectstore.md 17 as one table. `/os` stands for the prefix and the root of each example. */

export type ProfileName = 'standard' | 'deriva';

export interface Expectation {
  readonly status: number;
  readonly code?: string;
  readonly body?: string;
  readonly match?: RegExp;
  /** `*`: present; null: absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Remembers the version id in `Location` under this name. */
  readonly version?: string;
  /** Remembers the job id in `Location`, which is the body too, under this name. */
  readonly job?: string;
  /** Remembers the entity tag under this name. */
  readonly tag?: string;
}

export interface Step {
  readonly as?: string;
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly expect: Expectation;
  /** The root itself is meant. */
  readonly atRoot?: boolean;
  /** What the profile answers differently. */
  readonly standard?: Partial<Expectation>;
  readonly deriva?: Partial<Expectation>;
}

export interface Example {
  readonly numbers: string;
  readonly title: string;
  readonly steps: readonly Step[];
}

type More = Partial<Omit<Step, 'method' | 'target' | 'expect'>> & { readonly expect?: Omit<Expectation, 'status'> };

function step(as: string | undefined, line: string, status: number, more: More = {}): Step {
  const [method = '', target = ''] = line.split(' ');
  const expected = { status, ...more.expect };
  return { ...more, method, target, expect: expected, ...(as === undefined ? {} : { as }) };
}

const alice = (line: string, status: number, more?: More): Step => step('alice', line, status, more);
const bob = (line: string, status: number, more?: More): Step => step('bob', line, status, more);
const anon = (line: string, status: number, more?: More): Step => step(undefined, line, status, more);

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const TEXT = { 'Content-Type': 'text/plain' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const HELLO_MD5 = 'XUFAKrxLKna5cZ2REBfFkg==';
const HELLO_SHA256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';
const HELLO2_MD5 = 'boCcvaBzKsSEWRalkBb5VA==';

const makeA = alice('PUT /os/a', 201, { headers: NS });
const listOf = (mode: string, roles: readonly string[]): Step =>
  alice(`PUT /os/a;acl/${mode}`, 204, { headers: JSON_TYPE, body: JSON.stringify(roles) });
const makeO = alice('PUT /os/a/o', 201, {
  headers: { ...TEXT, 'Content-MD5': HELLO_MD5 },
  body: 'hello',
  expect: { version: 'V1' },
});
const makeO2 = alice('PUT /os/a/o2', 201, {
  headers: { ...TEXT, 'Content-MD5': '5d41402abc4b2a76b9719d911017c592' },
  body: 'hello',
  expect: { version: 'V' },
});
const updateO = alice('PUT /os/a/o', 201, {
  headers: { ...TEXT, 'If-Match': '"{V1}"' },
  body: 'hello2',
  expect: { version: 'V2' },
});

const makeJob = (name: string, body: string): Step =>
  alice(`POST /os/a/${name};upload`, 201, {
    headers: JSON_TYPE,
    body,
    expect: { job: 'J', headers: { 'Content-Type': 'text/uri-list' } },
  });

const rename = (name: string, members: object, status: number, expect?: Omit<Expectation, 'status'>): Step =>
  alice(`POST /os/a/${name}`, status, {
    headers: JSON_TYPE,
    body: JSON.stringify({ command: 'rename_from', ...members }),
    ...(expect === undefined ? {} : { expect }),
  });

export const examples: readonly Example[] = [
  {
    numbers: '1-3',
    title: 'a namespace is made once',
    steps: [
      alice('PUT /os/a', 201, {
        headers: NS,
        expect: { body: '/os/a\n', headers: { Location: '/os/a', 'Content-Type': 'text/uri-list' } },
      }),
      alice('PUT /os/a', 409, { headers: NS, expect: { code: 'name_in_use' } }),
      alice('PUT /os/a', 409, { headers: JSON_TYPE, expect: { code: 'name_in_use' } }),
    ],
  },
  {
    numbers: '4-5',
    title: 'nobody makes namespaces without the right',
    steps: [
      bob('PUT /os/b', 403, { headers: NS }),
      anon('PUT /os/b', 401, { headers: NS, expect: { headers: { 'WWW-Authenticate': 'Bearer' } } }),
    ],
  },
  {
    numbers: '6-11',
    title: 'parents on request, and the listing',
    steps: [
      makeA,
      alice('PUT /os/x/y', 404, { headers: NS }),
      alice('PUT /os/x/y?parents=true', 201, { headers: NS }),
      alice('GET /os/x;acl/owner', 200, { expect: { body: '["alice"]\n' } }),
      alice('PUT /os/x2/y?parents=yes', 404, { headers: NS }),
      alice('GET /os', 200, {
        expect: { body: '["/os/a","/os/x"]\n', headers: { ETag: '*', 'Content-Type': 'application/json' }, tag: 'T' },
      }),
      alice('GET /os', 304, {
        headers: { 'If-None-Match': '{T}' },
        expect: { body: '', headers: { ETag: '{T}', Vary: '*' } },
      }),
      alice('GET /os', 200, {
        headers: { Accept: 'text/uri-list' },
        expect: { body: '/os/a\n/os/x\n', headers: { 'Content-Type': 'text/uri-list', ETag: '{T}' } },
      }),
      alice('GET /os', 200, {
        headers: { Accept: 'text/html' },
        expect: { match: /<a href="[^"]*\/a">/, headers: { 'Content-Type': 'text/html', ETag: '{T}' } },
      }),
    ],
  },
  {
    numbers: '12-13',
    title: 'HEAD of a namespace, and who may list',
    steps: [
      makeA,
      alice('HEAD /os/a', 200, {
        expect: { body: '', headers: { 'Content-Type': 'application/json', 'Content-Length': '3' } },
      }),
      bob('GET /os/a', 403),
      anon('GET /os/a', 401),
    ],
  },
  {
    numbers: '14-15',
    title: 'a subtree list does not cover its own namespace',
    steps: [
      makeA,
      listOf('subtree-read', ['*']),
      anon('GET /os/a', 401),
      alice('PUT /os/a/b', 201, { headers: NS }),
      anon('GET /os/a/b', 200, { expect: { body: '[]\n' } }),
    ],
  },
  {
    numbers: '16-19',
    title: 'names are read from the raw target',
    steps: [
      makeA,
      alice('PUT /os/a/%2e%2e', 400, { headers: NS, expect: { code: 'bad_name' } }),
      alice('PUT /os/a/x%2Fy', 201, { headers: NS, expect: { headers: { Location: '/os/a/x%2Fy' } } }),
      alice('GET /os/a/x%2fy', 200),
      alice('PUT /os/a/q%zz', 400, { headers: NS, expect: { code: 'bad_name' } }),
      alice('PUT /os/a/p+q', 201, { headers: NS, expect: { headers: { Location: '/os/a/p%2Bq' } } }),
      alice('GET /os/a/p%2Bq', 200),
    ],
  },
  {
    numbers: '20',
    title: 'a namespace with children',
    steps: [
      alice('PUT /os/x/y?parents=true', 201, { headers: NS }),
      alice('DELETE /os/x', 409, { expect: { code: 'namespace_not_empty' }, deriva: { status: 204 } }),
    ],
  },
  {
    numbers: '21',
    title: 'a deleted name is never used again',
    steps: [
      alice('PUT /os/x/y?parents=true', 201, { headers: NS }),
      alice('DELETE /os/x/y', 204),
      alice('PUT /os/x/y', 409, { headers: NS, expect: { code: 'name_deleted' } }),
      alice('DELETE /os/x', 204),
    ],
  },
  {
    numbers: '22',
    title: 'nobody deletes the root',
    steps: [alice('DELETE /os/', 403, { atRoot: true }), anon('DELETE /os/', 401, { atRoot: true })],
  },
  {
    numbers: '23-24',
    title: 'content with a hash, in base64 and in hexadecimal',
    steps: [
      makeA,
      alice('PUT /os/a/o', 201, {
        headers: { ...TEXT, 'Content-MD5': HELLO_MD5 },
        body: 'hello',
        expect: {
          version: 'V1',
          headers: { 'Content-Type': 'text/uri-list' },
        },
      }),
      alice('GET /os/a/o;versions', 200, { expect: { body: '["/os/a/o:{V1}"]\n' } }),
      alice('GET /os/a/o', 200, { expect: { body: 'hello', headers: { ETag: '"{V1}"', 'Content-MD5': HELLO_MD5 } } }),
      makeO2,
      alice('GET /os/a/o2', 200, { expect: { headers: { 'Content-MD5': HELLO_MD5 } } }),
    ],
  },
  {
    numbers: '25-26',
    title: 'a wrong hash makes nothing',
    steps: [
      makeA,
      alice('PUT /os/a/o3', 400, {
        headers: { ...TEXT, 'Content-MD5': '1B2M2Y8AsgTpgAmY7PhCfg==' },
        body: 'hello',
        expect: { code: 'hash_mismatch' },
      }),
      alice('GET /os/a/o3', 404),
      alice('PUT /os/a/o3', 400, {
        headers: { 'Content-MD5': 'bad_md5' },
        body: 'hello',
        expect: { code: 'bad_hash' },
      }),
      alice('PUT /os/a/o3', 400, {
        headers: { 'Content-MD5': 'XUFAKrxLKnY=' },
        body: 'hello',
        expect: { code: 'bad_hash' },
      }),
      alice('GET /os/a/o3', 404),
    ],
  },
  {
    numbers: '27',
    title: 'only one form of Content-Disposition',
    steps: [
      makeA,
      ...["filename*=UTF-8''a b.txt", "filename*=UTF-8''a%2Fb", "attachment; filename*=UTF-8''a"].map((text) =>
        alice('PUT /os/a/o', 400, {
          headers: { 'Content-Disposition': text },
          body: 'x',
          expect: { code: 'bad_disposition' },
        }),
      ),
    ],
  },
  {
    numbers: '28-29',
    title: 'the length of content must be known and allowed',
    steps: [
      makeA,
      alice('PUT /os/a/o', 411, {
        headers: { 'Transfer-Encoding': 'chunked' },
        body: 'hello',
        expect: { code: 'length_required' },
      }),
      alice('PUT /os/a/o', 413, { headers: { 'Content-Length': '999999999999' }, expect: { code: 'too_large' } }),
      alice('GET /os/a/o', 404),
    ],
  },
  {
    numbers: '30-31',
    title: 'conditional updates',
    steps: [
      makeA,
      makeO,
      alice('PUT /os/a/o', 412, {
        headers: { 'If-None-Match': '*' },
        body: 'x',
        expect: { code: 'precondition_failed', headers: { ETag: '"{V1}"' } },
      }),
      updateO,
      alice('PUT /os/a/o', 412, { headers: { 'If-Match': '"{V1}"' }, body: 'hello2' }),
    ],
  },
  {
    numbers: '32',
    title: 'an object is updated whatever the type says',
    steps: [
      makeA,
      makeO,
      alice('PUT /os/a/o', 201, { headers: NS, body: 'abc' }),
      alice('GET /os/a/o', 200, { expect: { body: 'abc', headers: NS } }),
    ],
  },
  {
    numbers: '33',
    title: 'objects have no children',
    steps: [
      makeA,
      makeO,
      alice('PUT /os/a/o/child', 409, { body: 'x', expect: { code: 'parent_not_namespace' } }),
      alice('PUT /os/a/o/child/c?parents=true', 409, { headers: NS, expect: { code: 'parent_not_namespace' } }),
    ],
  },
  {
    numbers: '34-38',
    title: 'reading, whole and in part',
    steps: [
      makeA,
      makeO,
      updateO,
      ...['GET', 'HEAD'].map((method) =>
        alice(`${method} /os/a/o`, 200, {
          expect: {
            body: method === 'GET' ? 'hello2' : '',
            headers: {
              'Content-Type': 'text/plain',
              'Content-Length': '6',
              'Content-Location': '/os/a/o:{V2}',
              'Content-Disposition': "filename*=UTF-8''o",
              ETag: '"{V2}"',
              Vary: '*',
              'Accept-Ranges': 'bytes',
              // section 16 lets the deriva profile show computed hashes on content, so that bags can refer to it
              'Content-MD5': HELLO2_MD5,
              'Last-Modified': null,
            },
          },
        }),
      ),
      alice('GET /os/a/o:{V1}', 200, { expect: { body: 'hello', headers: { 'Content-MD5': HELLO_MD5 } } }),
      alice('GET /os/a/o:{V1}', 412, { headers: { 'If-Match': '"x"' }, deriva: { status: 304 } }),
      alice('GET /os/a/o:{V1}', 206, {
        headers: { Range: 'bytes=1-2' },
        expect: {
          body: 'el',
          headers: {
            'Content-Range': 'bytes 1-2/5',
            'Content-Length': '2',
            'Content-MD5': null,
            'Content-SHA256': null,
          },
        },
      }),
      ...['bytes=0-', 'bytes=-900', 'bytes=9-1'].map((range) =>
        alice('GET /os/a/o:{V1}', 200, { headers: { Range: range }, expect: { body: 'hello' } }),
      ),
      alice('GET /os/a/o:{V1}', 416, {
        headers: { Range: 'bytes=5-' },
        expect: { headers: { 'Content-Range': 'bytes */5' } },
      }),
      alice('HEAD /os/a/o:{V1}', 200, {
        headers: { Range: 'bytes=1-2' },
        expect: { headers: { 'Content-Length': '5' } },
      }),
      alice('GET /os/a/o:{V1}', 200, {
        headers: { Range: 'bytes=1-2', 'If-Range': '"other"' },
        expect: { body: 'hello' },
      }),
      alice('GET /os/a/o:{V1}', 206, { headers: { Range: 'bytes=1-2', 'If-Range': '"{V1}"' }, expect: { body: 'el' } }),
      alice('GET /os/a', 501, { headers: { Range: 'bytes=0-1' } }),
    ],
  },
  {
    numbers: '39',
    title: 'several ranges',
    steps: [
      makeA,
      makeO,
      alice('GET /os/a/o', 206, {
        headers: { Range: 'bytes=0-0,2-2' },
        standard: {
          match:
            /^\r\n--(\S+)\r\nContent-Type: text\/plain\r\nContent-Range: bytes 0-0\/5\r\n\r\nh\r\n--\1\r\nContent-Type: text\/plain\r\nContent-Range: bytes 2-2\/5\r\n\r\nl\r\n--\1--\r\n$/,
        },
        deriva: { status: 501 },
      }),
    ],
  },
  {
    numbers: '40-44',
    title: 'versions come and go',
    steps: [
      makeA,
      makeO,
      updateO,
      alice('GET /os/a/o;versions', 200, { expect: { body: '["/os/a/o:{V2}","/os/a/o:{V1}"]\n' } }),
      alice('DELETE /os/a/o:{V2}', 204),
      alice('GET /os/a/o', 200, { expect: { body: 'hello' } }),
      alice('GET /os/a/o:{V2}', 404),
      alice('DELETE /os/a/o:{V1}', 204),
      alice('GET /os/a/o', 409, { expect: { code: 'no_current_version' } }),
      alice('GET /os/a/o;versions', 200, { expect: { body: '[]\n' } }),
      alice('GET /os/a/o;versions', 200, { headers: { Accept: 'text/uri-list' }, expect: { body: '' } }),
      alice('PUT /os/a/o', 201, { body: 'again' }),
      alice('DELETE /os/a/o', 412, { headers: { 'If-Match': '"wrong"' } }),
      alice('DELETE /os/a/o', 204),
      alice('DELETE /os/a/o', 404),
      alice('PUT /os/a/o', 409, { body: 'x', expect: { code: 'name_deleted' } }),
      alice('GET /os/a/o', 404),
    ],
  },
  {
    numbers: '45',
    title: 'a version cannot be written',
    steps: [
      makeA,
      makeO,
      alice('PUT /os/a/o:V9', 405, { body: 'x', expect: { headers: { Allow: 'GET, HEAD, DELETE' } } }),
    ],
  },
  {
    numbers: '46',
    title: 'metadata are read',
    steps: [
      makeA,
      makeO2,
      alice('GET /os/a/o2:{V};metadata', 200, {
        standard: {
          body: `{"content-type":"text/plain","content-md5":"${HELLO_MD5}","content-sha256":"${HELLO_SHA256}"}\n`,
        },
        deriva: { body: `{"content-type":"text/plain","content-md5":"${HELLO_MD5}"}\n` },
      }),
      alice('GET /os/a/o2:{V};metadata/content-md5', 200, {
        expect: { headers: { 'Content-Type': 'text/plain', ETag: '*' } },
        standard: { body: HELLO_MD5 },
        deriva: { body: `${HELLO_MD5}\n` },
      }),
    ],
  },
  {
    numbers: '47-48',
    title: 'the type is changed',
    steps: [
      makeA,
      makeO2,
      alice('PUT /os/a/o2:{V};metadata/content-type', 204, { headers: TEXT, body: 'text/csv' }),
      alice('GET /os/a/o2', 200, { expect: { headers: { 'Content-Type': 'text/csv' } } }),
      alice('PUT /os/a/o2:{V};metadata/content-type', 400, { headers: JSON_TYPE, body: 'text/csv' }),
    ],
  },
  {
    numbers: '49-50',
    title: 'hashes are set once, and only right ones',
    steps: [
      makeA,
      makeO2,
      alice('PUT /os/a/o2:{V};metadata/content-sha256', 409, {
        headers: TEXT,
        body: 'A'.repeat(43).concat('='),
        expect: { code: 'write_once' },
      }),
      alice('PUT /os/a/o2:{V};metadata/content-sha256', 204, { headers: TEXT, body: HELLO_SHA256 }),
      alice('PUT /os/a/o2:{V};metadata/content-sha256', 204, { headers: TEXT, body: HELLO_SHA256 }),
      alice('DELETE /os/a/o2:{V};metadata/content-md5', 409, { expect: { code: 'write_once' } }),
      alice('DELETE /os/a/o2:{V};metadata/content-disposition', 204),
      alice('GET /os/a/o2:{V};metadata/content-disposition', 404),
    ],
  },
  {
    numbers: '51',
    title: 'there are four fields, and none on namespaces',
    steps: [
      makeA,
      makeO2,
      alice('GET /os/a/o2:{V};metadata/x-foo', 400, { expect: { code: 'unknown_field' } }),
      alice('PUT /os/a/o2:{V};metadata/x-foo', 400, { headers: TEXT, body: 'x' }),
      alice('DELETE /os/a/o2:{V};metadata/x-foo', 400),
      alice('GET /os/a;metadata', 404),
    ],
  },
  {
    numbers: '52-53',
    title: 'what read and subtree-read of an object give',
    steps: [
      makeA,
      makeO2,
      alice('PUT /os/a/o2;acl/read', 204, { headers: JSON_TYPE, body: '["bob"]' }),
      bob('GET /os/a/o2;versions', 200),
      bob('GET /os/a/o2', 403),
      alice('PUT /os/a/o2;acl/subtree-read', 204, { headers: JSON_TYPE, body: '["bob"]' }),
      bob('GET /os/a/o2', 200),
    ],
  },
  {
    numbers: '54-55',
    title: 'lists that are not there, and owners that must be',
    steps: [
      makeA,
      makeO2,
      alice('PUT /os/a/o2;acl/create', 404, { headers: JSON_TYPE, body: '["bob"]' }),
      alice('PUT /os/a/o2;acl/owner', 400, { headers: JSON_TYPE, body: '[]', expect: { code: 'would_orphan' } }),
      alice('DELETE /os/a/o2;acl/owner', 400, { expect: { code: 'would_orphan' } }),
      alice('DELETE /os/a/o2;acl/owner/alice', 400, { expect: { code: 'would_orphan' } }),
    ],
  },
  {
    numbers: '56',
    title: 'an entry may be a URL',
    steps: [
      makeA,
      alice('PUT /os/a;acl/create/https%3A%2F%2Fidp%2Fg1', 204),
      alice('GET /os/a;acl/create/https%3A%2F%2Fidp%2Fg1', 200, {
        expect: { headers: { 'Content-Type': 'text/plain' } },
        standard: { body: 'https://idp/g1' },
        deriva: { body: 'https://idp/g1\n' },
      }),
    ],
  },
  {
    numbers: '57-60',
    title: 'changes of lists that are refused, and the whole of them',
    steps: [
      makeA,
      alice('PUT /os/a;acl/create', 400, { headers: JSON_TYPE, body: '"bob"' }),
      alice('PUT /os/a;acl/read', 412, { headers: { ...JSON_TYPE, 'If-Match': '"stale"' }, body: '["bob"]' }),
      alice('DELETE /os/a;acl/read/nobody', 404),
      bob('GET /os/a;acl', 403),
      anon('GET /os/a;acl', 401),
      alice('GET /os/a;acl', 200, {
        expect: {
          body: '{"owner":["alice"],"create":[],"read":[],"subtree-owner":[],"subtree-create":[],"subtree-update":[],"subtree-read":[]}\n',
        },
      }),
    ],
  },
  {
    numbers: '61-64',
    title: 'a job takes its chunks in any order, and only its chunks',
    steps: [
      makeA,
      makeJob('big', '{"chunk-length":4,"content-length":10}'),
      alice('GET /os/a/big', 409, { expect: { code: 'no_current_version' } }),
      alice('GET /os/a/big;upload/{J}', 200, {
        expect: {
          match:
            /^\{"url":"\/os\/e\d+\/a\/big;upload\/[A-Z2-7]{26}","target":"\/os\/e\d+\/a\/big","owner":\["alice"\],"chunk-length":4,"content-length":10,/,
          headers: { ETag: null },
        },
      }),
      alice('GET /os/a/big;upload', 200, { expect: { body: '["/os/a/big;upload/{J}"]\n' } }),
      alice('PUT /os/a/big;upload/{J}/2', 204, { body: '89' }),
      alice('PUT /os/a/big;upload/{J}/0', 204, { body: '0123' }),
      alice('GET /os/a/big;upload/{J}', 200, {
        expect: { match: /"received":\[\[0,0\],\[2,2\]\],"received-bytes":6\}\n$/ },
      }),
      alice('PUT /os/a/big;upload/{J}/1', 204, { body: '4567' }),
      alice('PUT /os/a/big;upload/{J}/1', 204, { body: '4567' }),
      alice('PUT /os/a/big;upload/{J}/0', 409, { body: '012', expect: { code: 'chunk_length' } }),
      alice('PUT /os/a/big;upload/{J}/2', 409, { body: '8901', expect: { code: 'chunk_length' } }),
      alice('PUT /os/a/big;upload/{J}/3', 409, { body: '0123', expect: { code: 'chunk_out_of_range' } }),
      alice('PUT /os/a/big;upload/{J}/-1', 400, { body: '0123' }),
      alice('PUT /os/a/big;upload/{J}/x', 400, { body: '0123' }),
      alice('GET /os/a/big;upload/{J}/0', 405),
      alice('POST /os/a/big;upload/{J}', 201, { body: '{}', expect: { version: 'V' } }),
      alice('GET /os/a/big', 200, { expect: { body: '0123456789', headers: { ETag: '"{V}"' } } }),
    ],
  },
  {
    numbers: '65-66',
    title: 'only the owner of a job sends and finishes, and nothing may be missing',
    steps: [
      makeA,
      makeJob('big', '{"chunk-length":4,"content-length":10}'),
      bob('PUT /os/a/big;upload/{J}/0', 403, { body: '0123' }),
      anon('PUT /os/a/big;upload/{J}/0', 401, { body: '0123' }),
      alice('PUT /os/a/big;upload/{J}/0', 204, { body: '0123' }),
      alice('PUT /os/a/big;upload/{J}/2', 204, { body: '89' }),
      bob('POST /os/a/big;upload/{J}', 403),
      alice('POST /os/a/big;upload/{J}', 409, { expect: { code: 'chunks_missing', match: /1\b/ } }),
      alice('PUT /os/a/big;upload/{J}/1', 204, { body: '4567' }),
      alice('POST /os/a/big;upload/{J}', 201, { expect: { version: 'V' } }),
      alice('POST /os/a/big;upload/{J}', 201, {
        standard: { headers: { Location: '/os/a/big:{V}' } },
        deriva: { status: 404 },
      }),
      bob('POST /os/a/big;upload/{J}', 404),
      alice('GET /os/a/big;upload/{J}', 404),
      alice('GET /os/a/big;versions', 200, { expect: { body: '["/os/a/big:{V}"]\n' } }),
    ],
  },
  {
    numbers: '67',
    title: 'a wrong hash leaves the job open, to be mended',
    steps: [
      makeA,
      makeJob('big', `{"chunk-length":5,"content-length":5,"content-md5":"${HELLO_MD5}","content-type":"text/plain"}`),
      alice('PUT /os/a/big;upload/{J}/0', 204, { body: 'hallo' }),
      alice('POST /os/a/big;upload/{J}', 409, { expect: { code: 'hash_mismatch' } }),
      alice('GET /os/a/big;upload', 200, { expect: { body: '["/os/a/big;upload/{J}"]\n' } }),
      alice('PUT /os/a/big;upload/{J}/0', 204, { body: 'hello' }),
      alice('POST /os/a/big;upload/{J}', 201),
      alice('GET /os/a/big', 200, { expect: { body: 'hello', headers: { ...TEXT, 'Content-MD5': HELLO_MD5 } } }),
    ],
  },
  {
    numbers: '68',
    title: 'a job is cancelled',
    steps: [
      makeA,
      makeJob('big', '{"chunk-length":4,"content-length":10}'),
      alice('PUT /os/a/big;upload/{J}/0', 204, { body: '0123' }),
      bob('DELETE /os/a/big;upload/{J}', 403),
      alice('DELETE /os/a/big;upload/{J}', 204),
      alice('GET /os/a/big;upload/{J}', 404),
      alice('PUT /os/a/big;upload/{J}/0', 404, { body: '0123' }),
      alice('GET /os/a/big', 409),
    ],
  },
  {
    numbers: '69-70',
    title: 'jobs that are refused bind no name',
    steps: [
      makeA,
      ...[
        '{"chunk-length":0,"content-length":10}',
        '{"chunk-length":4}',
        '[1]',
        '{"chunk-length":4,"content-length":-1}',
        '{',
      ].map((body) => alice('POST /os/a/big;upload', 400, { headers: JSON_TYPE, body })),
      alice('POST /os/a/big;upload', 400, { headers: TEXT, body: '{"chunk-length":4,"content-length":10}' }),
      alice('POST /os/a/big;upload', 400, {
        headers: JSON_TYPE,
        body: '{"chunk-length":4,"chunk_bytes":5,"content-length":10}',
      }),
      anon('POST /os/a/big;upload', 401, { headers: JSON_TYPE, body: '{"chunk-length":4,"content-length":10}' }),
      alice('GET /os/a/big', 404),
      alice('POST /os/a;upload', 409, { headers: JSON_TYPE, body: '{"chunk-length":4,"content-length":10}' }),
      alice('GET /os/a;upload', 404),
      alice('POST /os/none/big;upload', 404, { headers: JSON_TYPE, body: '{"chunk-length":4,"content-length":10}' }),
    ],
  },
  {
    numbers: '71',
    title: 'a job without content, in the old words',
    steps: [
      makeA,
      makeJob('big', '{"chunk_bytes":4,"total_bytes":"0"}'),
      alice('PUT /os/a/big;upload/{J}/0', 409, { body: '', headers: { 'Content-Length': '0' } }),
      alice('POST /os/a/big;upload/{J}', 201),
      alice('GET /os/a/big', 200, { expect: { body: '', headers: { 'Content-Length': '0' } } }),
    ],
  },
  {
    numbers: '72-74',
    title: 'a rename, and reading under either name',
    steps: [
      makeA,
      makeO2,
      rename('n', { source_name: '/os/a/o2' }, 201, { body: '/os/a/n:{V}\n', headers: { Location: '/os/a/n:{V}' } }),
      ...['/os/a/o2', '/os/a/o2:{V}', '/os/a/n', '/os/a/n:{V}'].flatMap((target) =>
        ['GET', 'HEAD'].map((method) =>
          alice(`${method} ${target}`, 200, {
            expect: {
              body: method === 'GET' ? 'hello' : '',
              headers: {
                'Content-Location': '/os/a/n:{V}',
                Location: '/os/a/n:{V}',
                ETag: '"{V}"',
                'Content-Disposition': "filename*=UTF-8''n",
                'Content-MD5': HELLO_MD5,
              },
            },
          }),
        ),
      ),
      alice('GET /os/a/o2;versions', 200, { expect: { body: '["/os/a/o2:{V}"]\n' } }),
      alice('GET /os/a/o2:{V};metadata/content-type', 200, { expect: { match: /^text\/plain/ } }),
      rename('n', { source_name: '/os/a/o2' }, 204, { body: '' }),
    ],
  },
  {
    numbers: '75-76',
    title: 'what was renamed is not renamed elsewhere, and goes with its new name',
    steps: [
      makeA,
      makeO2,
      rename('n', { source_name: '/os/a/o2' }, 201),
      rename('n2', { source_name: '/os/a/o2' }, 409),
      alice('GET /os/a/n2', 404),
      alice('DELETE /os/a/n', 204),
      alice('GET /os/a/o2', 409, { expect: { code: 'renamed_target_gone' } }),
    ],
  },
  {
    numbers: '77',
    title: 'sources and targets that cannot be',
    steps: [
      makeA,
      makeO2,
      rename('n', { source_name: '/os/a/none' }, 409),
      rename('n', { source_name: '/os/a' }, 409),
      rename('n', { source_name: '/os/a/o2', source_versions: ['ABCDEFGHIJKLMNOPQRSTUVWXYZ'] }, 409),
      rename('o2', { source_name: '/os/a/o2' }, 409),
      alice('PUT /os/a/ns', 201, { headers: NS }),
      rename('ns', { source_name: '/os/a/o2' }, 409, { code: 'name_in_use' }),
      alice('GET /os/a/n', 404),
    ],
  },
  {
    numbers: '78',
    title: 'commands that are none',
    steps: [
      makeA,
      makeO2,
      ...[
        { command: 'copy' },
        { extra: 1 },
        { copy_acls: 'yes' },
        { source_name: null },
        { source_name: '/os/a/o2:{V}' },
        { source_name: '/os/a/o2;acl' },
        { source_versions: '{V}' },
        { source_versions: [1] },
        { versions: [], source_versions: [] },
      ].map((members) => rename('n', { source_name: '/os/a/o2', ...members }, 400)),
      alice('POST /os/a/n', 400, { headers: JSON_TYPE, body: '[]' }),
      alice('POST /os/a/n', 400, { headers: TEXT, body: '{"command":"rename_from","source_name":"/os/a/o2"}' }),
      alice('GET /os/a/n', 404),
    ],
  },
  {
    numbers: '79',
    title: 'who may create may not take what belongs to others',
    steps: [
      makeA,
      makeO2,
      alice('PUT /os/c', 201, { headers: NS }),
      alice('PUT /os/c;acl/create', 204, { headers: JSON_TYPE, body: '["bob"]' }),
      bob('POST /os/c/z', 403, { headers: JSON_TYPE, body: '{"command":"rename_from","source_name":"/os/a/o2"}' }),
      alice('GET /os/c/z', 404),
    ],
  },
  {
    numbers: '80',
    title: 'versions come in the order in which they were made',
    steps: [
      makeA,
      makeO,
      alice('PUT /os/a/o', 201, { body: 'two', expect: { version: 'V2' } }),
      alice('PUT /os/a/o', 201, { body: 'three', expect: { version: 'V3' } }),
      rename('n', { source_name: '/os/a/o', source_versions: ['{V3}', '{V1}'] }, 201, {
        body: '/os/a/n:{V1}\n/os/a/n:{V3}\n',
        headers: { Location: null },
      }),
      alice('GET /os/a/n', 200, { expect: { body: 'three', headers: { ETag: '"{V3}"' } } }),
      alice('GET /os/a/o:{V2}', 200, { expect: { body: 'two', headers: { Location: null } } }),
    ],
  },
];
