import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { findRunningStack, type StackDescription } from '../src/index.js';
import { processIdentity, waitForProcessEnd } from '../src/process-identity.js';
import { temporaryDirectory } from './fixtures/temporary-directory.js';

let directory: ReturnType<typeof temporaryDirectory>;
let dataDir: string;
const commands: ChildProcessWithoutNullStreams[] = [];

// one data directory for all tests: making a new one takes longer than everything else
beforeAll(() => {
  directory = temporaryDirectory();
  dataDir = join(directory.path, 'data');
});

afterAll(() => directory.remove());

afterEach(async () => {
  for (const command of commands.splice(0)) command.kill('SIGKILL');
});

function runStart(...args: string[]) {
  return runStartWith({}, ...args);
}

function runStartWith(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const program = fileURLToPath(new URL('fixtures/start-fakes.js', import.meta.url));
  const command = spawn(process.execPath, [program, '--data-dir', dataDir, ...args], {
    env: { ...process.env, ...environment },
  });
  commands.push(command);
  const ended = Promise.all([once(command, 'exit'), text(command.stdout), text(command.stderr)]).then(
    ([[code], output, errors]) => ({ code, output, errors }),
  );
  return { command, ended };
}

/** Waits for the announcement and gives the stack as others find it. */
async function untilReady(command: ChildProcessWithoutNullStreams): Promise<StackDescription> {
  let output = '';
  await new Promise<void>((resolve) => {
    command.once('exit', () => resolve());
    command.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('ready in')) resolve();
    });
  });
  const stack = findRunningStack(dataDir);
  if (stack === null) throw new Error(`No stack can be found. Output:\n${output}`);
  return stack;
}

const leftOver = (stack: StackDescription) => stack.processes.filter(({ pid }) => processIdentity(pid) !== null);

describe('the start command', () => {
  it('says how to use the stack, in lines that work when pasted', async () => {
    const { command, ended } = runStart('--port', '0');
    const stack = await untilReady(command);
    command.kill('SIGTERM');
    const { code, output, errors } = await ended;
    expect([code, errors]).toEqual([0, '']);
    expect(output).toContain(`${stack.url}/data/`);
    expect(output).toContain('alice  alice-token');
    expect(output).toContain(`curl -s ${stack.url}/data/\n`);
    expect(output).toContain(`curl -s -X POST -H 'Authorization: Bearer alice-token' ${stack.url}/data/catalog\n`);
    expect(output).not.toContain('postgresql:');
    expect(leftOver(stack)).toEqual([]);
  });

  it('names the paths that the clients of the profile know', async () => {
    const { command, ended } = runStartWith({ WIRE_PROFILE: 'deriva' }, '--port', '0');
    const stack = await untilReady(command);
    command.kill('SIGTERM');
    const { output } = await ended;
    for (const path of ['ermrest', 'hatrac', 'deriva/export']) expect(output).toContain(`${stack.url}/${path}/\n`);
  });

  it('stops cleanly at Ctrl-C, even when it arrives twice at once', async () => {
    const { command, ended } = runStart('--port', '0');
    const stack = await untilReady(command);
    command.kill('SIGINT');
    command.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining('Stopped.'), errors: '' });
    expect(leftOver(stack)).toEqual([]);
  });

  it('stops when it is still starting', async () => {
    const { command, ended } = runStart('--port', '0');
    await once(command.stdout, 'data');
    command.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, errors: '' });
    const { command: next, ended: nextEnded } = runStart('--port', '0');
    await untilReady(next);
    next.kill('SIGINT');
    expect(await nextEnded).toMatchObject({ code: 0 });
  });

  it('takes everything with it when it is killed, and starts again', async () => {
    const { command, ended } = runStart('--port', '0');
    const stack = await untilReady(command);
    command.kill('SIGKILL');
    await ended;
    for (const { pid } of stack.processes) expect(await waitForProcessEnd(pid, 10_000)).toBe(true);
    expect(findRunningStack(dataDir)).toBeNull();
    const { command: next, ended: nextEnded } = runStart('--port', '0');
    await untilReady(next);
    next.kill('SIGTERM');
    expect(await nextEnded).toMatchObject({ code: 0 });
  });

  it('fails with one message when a process crashes', async () => {
    const { command, ended } = runStart('--port', '0');
    const stack = await untilReady(command);
    process.kill(stack.processes.find(({ name }) => name === 'export-worker')?.pid ?? 0, 'SIGKILL');
    const { code, errors } = await ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/^\nHoldfast cannot go on. The export-worker service was ended by SIGKILL\./);
    expect(leftOver(stack)).toEqual([]);
  });

  it.each([
    [['--port', 'x'], '--port takes a number'],
    [['--prot', '1'], "Unknown option '--prot'"],
    [['--port', '70000'], '--port takes a number'],
    [['--host', '203.0.113.7', '--port', '0'], '203.0.113.7 is not an address of this machine'],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await runStart(...args).ended;
    expect([code, errors.trim().split('\n')[0]]).toEqual([1, expect.stringContaining(message)]);
  });

  it('explains itself', async () => {
    expect(await runStart('--help').ended).toMatchObject({ code: 0, output: expect.stringContaining('--fresh') });
  });
});
