import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';

interface Ports {
  readonly port: number;
  readonly adminPort: number;
}

async function start(
  environment: Record<string, string>,
): Promise<{ child: ChildProcess; ports: Promise<Ports>; output: () => string }> {
  const child = fork(new URL('./process-fixture.js', import.meta.url), {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'fatal',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    output += String(chunk);
  });
  const ports = once(child, 'message').then(([message]) => message as Ports);
  return { child, ports, output: () => output };
}

describe('a service process', () => {
  it('reports its ports, answers health, finishes running requests when told to stop, and frees everything', async () => {
    const { child, ports, output } = await start({ GREETING: 'hello' });
    const { port, adminPort } = await ports;
    expect((await fetch(`http://127.0.0.1:${adminPort}/livez`)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).json()).toEqual({
      ready: true,
      checks: { always: 'ok' },
    });
    expect(await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()).toContain(
      'process_resident_memory_bytes',
    );
    const running = fetch(`http://127.0.0.1:${port}/slow`).then((answer) => answer.text());
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill('SIGTERM');
    expect(await running).toBe('hello');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(output()).toContain('freed');
  });

  it('still answers while it pauses, not ready any more, and ends kept connections', async () => {
    const { child, ports } = await start({ GREETING: 'hello', STOP_PAUSE_MS: '3000' });
    const { port, adminPort } = await ports;
    const before = await fetch(`http://127.0.0.1:${port}/slow`);
    expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive']);
    child.kill('SIGTERM');
    for (;;) if ((await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status === 503) break;
    const during = await fetch(`http://127.0.0.1:${port}/slow`);
    expect([during.status, during.headers.get('connection')]).toEqual([200, 'close']);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  it('stops by itself when its parent has gone', async () => {
    const { child, ports } = await start({ GREETING: 'x' });
    await ports;
    child.disconnect();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });

  it('does not start with a wrong configuration and lists every fault', async () => {
    const { child, output } = await start({
      GREETING: '',
      PORT: 'many',
      WIRE_PROFILE: 'other',
      WIRE_PROFILE_OVERRIDES: '{"valueNewlines": true, "severalRanges": 5, "bagDefaultName": null}',
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    for (const fault of [
      /GREETING/,
      /PORT: must be a whole number/,
      /WIRE_PROFILE:/,
      /WIRE_PROFILE_OVERRIDES \(at valueNewlines\): is no field/,
      /WIRE_PROFILE_OVERRIDES \(at severalRanges\): must be of this kind: string/,
    ])
      expect(output()).toMatch(fault);
    expect(output()).not.toContain('bagDefaultName');
  });
});
