import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startMixedLoad } from './mixed-load.js';

// The command of the looping client: node loop.js <url>. A line of counts each second until it is told to stop; `/tmp/working` appears when
// work of every kind has been done once.
const [, , url] = process.argv;
if (url === undefined) {
  process.stderr.write('Usage: node loop.js <url>\n');
  process.exit(2);
}
const load = await startMixedLoad(url);
load.everythingWorks().then(() => writeFile('/tmp/working', 'yes\n'));
let told = false;
process.once('SIGTERM', () => {
  told = true;
});
for (let shown = 0; !told; await sleep(1_000)) {
  const counts = Object.values(load.counts());
  const done = counts.reduce((sum, count) => sum + count.done, 0);
  const failed = counts.reduce((sum, count) => sum + count.away + count.cut + count.failed, 0);
  process.stdout.write(`${done} done, ${failed} failed\n`);
  for (const line of [...load.failures(), ...load.cuts()].slice(shown)) process.stderr.write(`${line}\n`);
  shown = load.failures().length + load.cuts().length;
}
await load.stop();
for (const fault of await load.verify()) process.stderr.write(`${fault}\n`);
