import { runDemo } from './demo/command.js';

process.exit(await runDemo(process.argv.slice(2), process.env));
