import { preparePython, pythonPackages } from './python-packages.js';

// For continuous integration, as a step of its own: installs what the tests ask for a second opinion, unless it is there.
for (const name of pythonPackages) {
  const found = preparePython(name);
  if (found.kind === 'program') process.stdout.write(`The package ${name} is asked by ${found.python}.\n`);
  else process.stdout.write(`NO PYTHON PACKAGE ${name}: ${found.reason}. Its tests will be skipped.\n`);
}
