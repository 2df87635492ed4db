import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMixedLoad } from './mixed-load.js';

// The command of the looping client: node loop.js <url>. A line of counts each second until it is told to stop (SIGTERM); `/tmp/working` appears
// when work of every kind has been done once. Then it looks whether all that was acknowledged is there; it ends with 1 when a request failed or
// something is missing.
const [, , url] = process.argv;
if (url === undefined) {
  process.stderr.write('Usage: node loop.js <url>\n');
  process.exit(2);
}
const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
const load = await startMixedLoad(url);
load.everythingWorks().then(() => writeFile('/tmp/working', 'yes\n'));
let shown = 0;
while (!stopping.signal.aborted) {
  await sleep(1_000, undefined, { signal: stopping.signal }).catch(() => undefined);
  show();
}
await load.stop();
const failed = show();
const faults = await load.verify();
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${faults.length} missing or wrong afterwards\n`);
process.exitCode = failed === 0 && faults.length === 0 ? 0 : 1;

/** The counts, and what failed since they were shown last. Gives the number of failures. */
function show(): number {
  const counts = Object.values(load.counts());
  const sum = (of: (count: (typeof counts)[number]) => number): number =>
    counts.reduce((total, count) => total + of(count), 0);
  const bad = sum(({ away, cut, failed }) => away + cut + failed);
  process.stdout.write(`${sum(({ done }) => done)} done, ${bad} failed\n`);
  const reasons = [...load.failures(), ...load.cuts()];
  for (const reason of reasons.slice(shown)) process.stderr.write(`${reason}\n`);
  shown = reasons.length;
  return bad;
}
