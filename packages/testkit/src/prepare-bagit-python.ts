import { prepareBagitPython } from './bagit-python.js';

// For continuous integration, as a step of its own: installs the second validator of bags unless it is there.
const found = prepareBagitPython();
if (found.kind === 'program') process.stdout.write(`Bags are validated by ${found.python} -m bagit, too.\n`);
else process.stdout.write(`NO SECOND VALIDATOR OF BAGS: ${found.reason}. Its tests will be skipped.\n`);
