import { describe, expect, it } from '@jest/globals';
import { type AssetUrlSettings, classifyAssetUrl } from './asset-url.js';

const settings: AssetUrlSettings = {
  stores: [{ publicHost: 'x.org', prefix: '/os', baseUrl: 'http://store:1' }],
  catalogs: [{ publicHost: 'x.org', baseUrl: 'http://catalog:2', path: '/data/catalog/' }],
  schemes: ['https', 'http', 's3'],
};
const classify = (url: string) => classifyAssetUrl(url, 'https://x.org', settings);

describe('the url of a row (spec/export.md 7.2)', () => {
  it.each(['/os/a/o:V1', 'https://x.org/os/a/o:V1', 'HTTPS://X.ORG/os/a/o:V1', 'os/a/o:V1'])(
    '%s leads to the object store',
    (url) => {
      expect(classify(url)).toEqual({
        kind: 'own',
        service: 'objectstore',
        baseUrl: 'http://store:1',
        path: '/os/a/o:V1',
        publicUrl: 'https://x.org/os/a/o:V1',
      });
    },
  );

  it('keeps the escapes of a name', () => {
    expect(classify('/os/a%2Fb/c%20d')).toMatchObject({ path: '/os/a%2Fb/c%20d' });
  });

  it('leads to the catalog', () => {
    expect(classify('/data/catalog/1/entity/t?accept=csv')).toMatchObject({
      service: 'catalog',
      baseUrl: 'http://catalog:2',
      path: '/data/catalog/1/entity/t?accept=csv',
    });
  });

  it.each(['https://y.org/f.txt', 's3://bucket/key', 'http://169.254.169.254/x', 'http://x.org:8080/f'])(
    '%s is external',
    (url) => {
      expect(classify(url).kind).toBe('external');
    },
  );

  it.each([
    'https://y.org/os/a/o',
    'https://x.org:444/os/a/o',
    '/elsewhere/f',
    'f.txt',
    '/os',
    '/osx/a',
    '/os/../admin',
    '//y.org/os/a',
    'https://user:pw@x.org/os/a',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://x.org/os/a b',
    'https://',
    '\\\\x.org\\os',
  ])('%s is refused', (url) => {
    expect(() => classify(url)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
