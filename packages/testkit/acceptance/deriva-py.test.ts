import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPython } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTestable, openServer, type Server } from './server.js';

/** Beside the source: it is not compiled. */
const story = fileURLToPath(new URL('../../acceptance/deriva-py/story.py', import.meta.url));
const python = findPython('deriva');
if (python.kind === 'none') process.stderr.write(`SKIPPED: ${python.reason}; nobody speaks deriva-py to the server\n`);

const steps = [
  'makes schemas and tables',
  'changes the model',
  'inserts and updates',
  'follows paths',
  'aggregates',
  'downloads tables in pages',
  'reads snapshots aliases and ids',
  'clones a catalog',
  'keeps objects',
  'uploads files with their records',
  'exports bags and files',
  'downloads by the same configuration',
  'backs up and restores',
  'removes the catalog',
];

/** The client of the protocol family that people bring: it must find what it is used to. */
describe('deriva-py, deriva profile', () => {
  const test = python.kind === 'program' && isTestable('deriva') ? it : it.skip;
  const told = new Map<string, string | null>();
  let server: Server | undefined;

  beforeAll(async () => {
    if (python.kind === 'none' || !isTestable('deriva')) return;
    server = await openServer('deriva');
    const directory = join(server.scratch, 'deriva-py');
    await mkdir(directory);
    const lines = await outputOf(python.python, [story, server.client.url, directory, 'alice-token'], directory);
    for (const line of lines) {
      const { step, fault } = JSON.parse(line) as { readonly step: string; readonly fault: string | null };
      told.set(step, fault);
    }
  }, 300_000);
  afterAll(() => server?.close());

  test.each(steps)('%s', (step) => {
    expect(told.get(step)).toBeNull();
  });
});

/** Lines of a program's standard output. Its home is a directory of its own: the client keeps settings there. */
function outputOf(program: string, args: readonly string[], home: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let complaints = '';
    child.stdout.on('data', (data) => {
      output += String(data);
    });
    child.stderr.on('data', (data) => {
      complaints += String(data);
    });
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve(output.split('\n').filter((line) => line.startsWith('{')));
      else reject(new Error(`deriva-py ended with status ${status}: ${complaints.slice(-4000)}`));
    });
  });
}
