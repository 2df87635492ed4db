import { performance } from 'node:perf_hooks';
import { parseResource } from '../src/index.js';

/** Prints the time to parse typical and long requests. Run: node packages/path-grammar/dist/bench/parse.js */
const LONG_LIST = Array.from({ length: 1100 }, (_, index) => `1-${index.toString(36).toUpperCase().padStart(4, '0')}`);
const CASES: Readonly<Record<string, string>> = {
  'one table': 'entity/zoo:species@sort(id)?limit=25',
  'three joins, groups':
    'attributegroup/M:=zoo:animal/S:=left(species_id)=(zoo:species:id)/$M/E:=left(enclosure_id)=(zoo:enclosure:id)/$M/E:name;n:=cnt_d(M:RID)@sort(n::desc::,name)@after(3,Savanna)?limit=25',
  'RID=any(...) of 8 KiB': `entity/zoo:animal/RID=any(${LONG_LIST.join(',')})`,
  '8 KiB of escapes': `entity/T/a=${'%C3%A9'.repeat(1300)}`,
};

for (const [name, url] of Object.entries(CASES)) {
  const runs = 3000;
  for (let run = 0; run < 500; run += 1) parseResource(url);
  const start = performance.now();
  for (let run = 0; run < runs; run += 1) parseResource(url);
  const microseconds = ((performance.now() - start) * 1000) / runs;
  process.stdout.write(`${name.padEnd(24)} ${String(url.length).padStart(5)} bytes  ${microseconds.toFixed(1)} us\n`);
}
