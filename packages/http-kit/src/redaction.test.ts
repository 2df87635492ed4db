import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';
import { redactText } from './redaction.js';

describe('redaction', () => {
  it.each([
    ['Authorization: Bearer abc.def', 'abc.def'],
    ['/x?X-Amz-Signature=deadbeef&a=1', 'deadbeef'],
    ['postgres://user:hunter2@db/x', 'hunter2'],
    ['token eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl here', 'c2lnbmF0dXJl'],
  ])('takes the secret out of %s', (text, secret) => {
    expect(redactText(text)).not.toContain(secret);
  });

  it('leaves ordinary text alone', () => {
    expect(redactText('GET /data/catalog/1/entity/a:b?limit=5')).toBe('GET /data/catalog/1/entity/a:b?limit=5');
  });

  it('keeps secrets out of log lines, by key at any of three levels and inside errors', () => {
    let written = '';
    const destination = new Writable({
      write(chunk, _encoding, done) {
        written += String(chunk);
        done();
      },
    });
    const log = createLogger({ service: 'test', level: 'info', destination });
    log.info({ password: 'p-one', a: { cookie: 'p-two' }, b: { c: { token: 'p-three' } } });
    log.error({ err: new Error('cannot reach postgres://u:p-four@h/d', { cause: new Error('Bearer p-five') }) });
    expect(written).not.toMatch(/p-(one|two|three|four|five)/);
    expect(written).toContain('[redacted]');
  });
});
