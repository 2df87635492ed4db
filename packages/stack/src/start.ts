import { runStart } from './start-command.js';

process.exit(await runStart(process.argv.slice(2), process.env));
