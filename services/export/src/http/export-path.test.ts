import { describe, expect, it } from '@jest/globals';
import { parseExportPath } from './export-path.js';

const id = '0b8f2c52-6a51-4b83-9c39-5a8b7d9d1f00';
const parse = (path: string) => parseExportPath(path, ['bag', 'bdbag']);

describe('a path of the service', () => {
  it.each([
    ['/file', { kind: 'exports', endpoint: 'file' }],
    ['/bdbag/', { kind: 'exports', endpoint: 'bag' }],
    [`/file/${id}`, { kind: 'result', id, path: null }],
    [`/bag/${id.toUpperCase()}/`, { kind: 'result', id, path: null }],
    [`/file/${id}/a%2Fb/c%20d.csv`, { kind: 'result', id, path: 'a/b/c d.csv' }],
    [`/bag/${id}/log`, { kind: 'log', id }],
    [`/file/${id}/log/x`, { kind: 'result', id, path: 'log/x' }],
    [`/job/${id}/`, { kind: 'job', id }],
    ['/job', { kind: 'jobs' }],
  ])('%s', (path, expected) => expect(parse(path)).toEqual(expected));

  it.each([
    '',
    '/',
    '/files',
    '/file/nonsense',
    `/file/${id.replace('-4', '-1')}`,
    `/file/${id}/%zz`,
    `/job/${id}/x`,
    '/zip',
  ])('%s stands for nothing', (path) => expect(parse(path)).toEqual({ kind: 'unknown' }));
});
