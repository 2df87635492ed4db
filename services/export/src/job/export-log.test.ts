import { createLogger } from '@holdfast/http-kit';
import { describe, expect, it } from '@jest/globals';
import { type ExportLog, logLine, openExportLog } from './export-log.js';

const silent = createLogger({ service: 'test', level: 'silent' });

function logTo(append: (text: string) => Promise<void>): ExportLog {
  return openExportLog({ append, bytes: 0, processLog: silent });
}

describe('the log of an export', () => {
  it('cannot be written into by a value', () => {
    expect(logLine('INFO', 'name a\n2026-01-01T00:00:00.000Z ERROR forged\u2028')).toMatch(
      /^\S+Z INFO name a\\u000a2026-01-01T00:00:00\.000Z ERROR forged\\u2028\n$/,
    );
  });

  it('holds no credentials', () => {
    const line = logLine('INFO', 'Bearer abcdef123 eyJhbGciOi.eyJzdWIi.c2ln https://s3/x?X-Amz-Signature=abc&y=1');
    expect(line).not.toMatch(/abcdef123|eyJ|=abc/);
    expect(line).toContain('y=1');
  });

  it('writes its lines in order, also while an earlier write is under way', async () => {
    const written: string[] = [];
    const log = logTo(async (text) => {
      await new Promise((resolve) => setImmediate(resolve));
      written.push(text);
    });
    log.info('one');
    const first = log.flush();
    log.warning('two');
    log.error('three');
    await log.close();
    await first;
    expect(written.join('')).toMatch(/INFO one\n.*WARNING two\n.*ERROR three\n$/);
  });

  it('ends with one line that says so when it has become too long', async () => {
    let text = '';
    const log = logTo(async (part) => {
      text += part;
    });
    const line = 'x'.repeat(100_000);
    for (let count = 0; count < 150; count += 1) log.info(line);
    await log.close();
    expect(text.length).toBeLessThan(11 * 1024 * 1024);
    expect(text).toMatch(/WARNING truncated\n$/);
    expect(text.match(/truncated/g)).toHaveLength(1);
  });

  it('counts what runs before have written', async () => {
    let text = '';
    const append = async (part: string): Promise<void> => {
      text += part;
    };
    const log = openExportLog({ append, bytes: 10 * 1024 * 1024, processLog: silent });
    log.info('one');
    log.info('two');
    await log.close();
    expect(text).toMatch(/^\S+ WARNING truncated\n$/);
  });

  it('does not stop an export when it cannot be written', async () => {
    const log = logTo(() => Promise.reject(new Error('away')));
    log.info('lost');
    await expect(log.close()).resolves.toBeUndefined();
  });
});
