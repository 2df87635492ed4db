import { describe, expect, it } from '@jest/globals';
import { StackError } from '../stack-error.js';
import { byteText, openProgress } from './progress.js';

describe('the progress of the demo', () => {
  it('prints a line for each step, with its columns below the same heads', async () => {
    const lines: string[] = [];
    const progress = openProgress((text) => lines.push(text));
    await progress.step('load a.csv', async () => ({ rows: 118769, bytes: 3_955_795, note: 'fine' }));
    await progress.step('ask', async () => ({}));
    const [head = '', first = '', second = ''] = lines;
    expect(lines).toHaveLength(3);
    expect(first).toMatch(/^ {2}load a\.csv +118,769 +4\.0 MB +\d+\.\d\d s {2}fine\n$/);
    expect(second).toMatch(/^ {2}ask +\d+\.\d\d s\n$/);
    expect(first.indexOf('118,769') + '118,769'.length).toBe(head.indexOf('rows') + 'rows'.length);
    expect(progress.total()).toMatchObject({ steps: 2, rows: 118769, bytes: 3_955_795 });
  });

  it('names the step that failed, once', async () => {
    const progress = openProgress(() => {});
    const failing = progress.step('load b.csv', () => Promise.reject(new Error('no such table')));
    await expect(failing).rejects.toThrow(new StackError('Step "load b.csv": no such table'));
    await expect(progress.step('outer', () => failing)).rejects.toThrow('Step "load b.csv": no such table');
    expect(progress.total().steps).toBe(0);
  });

  it('writes bytes in units of a thousand', () => {
    expect([0, 999, 1000, 1_550_000].map(byteText)).toEqual(['0 B', '999 B', '1.0 kB', '1.6 MB']);
  });
});
