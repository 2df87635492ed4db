import { kubernetesVersions, prepareCustomSchemas, prepareKubernetesSchemas } from './kubernetes-schemas.js';
import { prepareProgram } from './programs.js';

// For continuous integration, as a step of its own: fetches and builds what the checks use, unless it is there.
const found = [
  await prepareProgram('helm'),
  await prepareProgram('kubeconform'),
  await prepareProgram('actionlint'),
  await prepareProgram('cmd'),
  await prepareCustomSchemas(),
];
for (const version of kubernetesVersions) found.push(await prepareKubernetesSchemas(version));
const missing = found.flatMap((one) => (one.kind === 'none' ? [one.reason] : []));
for (const reason of missing) process.stdout.write(`MISSING: ${reason}. The checks that need it will be skipped.\n`);
if (missing.length === 0) process.stdout.write('Programs and schemas of the chart checks are there.\n');
