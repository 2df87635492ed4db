import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { endWhenTold, parseEnvironment } from '@holdfast/http-kit';
import { identityVariables, setLocalPassword } from '@holdfast/identity';
import { openDatabase } from '@holdfast/pg-kit';

/**
 * The command `set-password`: makes a local user, or gives one another password, which it reads from standard input, so that it
 * stands neither among the arguments nor in an environment. Needs IDENTITY_DATABASE_URL alone. Ends with 0, or with 2 and the reason.
 */
const USAGE = `Usage: set-password NAME [--groups A,B] < file with the password
Without --groups a user that is there keeps the groups it has.`;

const { IDENTITY_DATABASE_URL } = identityVariables;

endWhenTold('set-password');
try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`set-password: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { groups: { type: 'string' } },
    allowPositionals: true,
  });
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new Error(USAGE);
  const { IDENTITY_DATABASE_URL: url } = parseEnvironment({ IDENTITY_DATABASE_URL }, process.env);
  if (url === undefined) throw new Error('IDENTITY_DATABASE_URL must name the database of sessions and local users.');
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const database = openDatabase({ url, applicationName: 'holdfast set-password', maxConnections: 2 });
  try {
    await setLocalPassword(database, name, password, groupsOf(values.groups));
  } finally {
    await database.close();
  }
  process.stdout.write(`The password of ${name} is set.\n`);
}

function groupsOf(list: string | undefined): Parameters<typeof setLocalPassword>[3] {
  if (list === undefined) return {};
  const ids = list.split(',').map((id) => id.trim());
  return { attributes: ids.filter((id) => id !== '').map((id) => ({ id })) };
}
