import { rightsEvaluator, rolesOf } from '@holdfast/acl';
import { interpretQuery, parseResource } from '@holdfast/path-grammar';
import { inline } from '@holdfast/pg-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizeRead } from '../../src/authorize/authorize-read.js';
import { LIVE } from '../../src/history/moment.js';
import { planRead } from '../../src/plan/read-plan.js';
import { resolveRead } from '../../src/resolve/resolve-read.js';
import { visibleModel } from '../../src/resolve/visible-model.js';
import { readSql } from '../../src/sql/read-sql.js';
import { openZooStage, type Zoo, type ZooStage } from '../support/zoo.js';
import { statementsOf } from './changes.js';
import { changes, constructs } from './constructs.js';
import { zooInMemory } from './zoo-in-memory.js';

/** What each construct becomes, and what comes of it. The rows of changes are asserted by the worked examples. */
describe('constructs of the path language', () => {
  let stage: ZooStage;
  let zoo: Zoo;

  beforeAll(async () => {
    stage = await openZooStage('standard');
    zoo = await stage.initial();
  });
  afterAll(() => stage.close());

  it.each(constructs.map((one) => [one.url, one] as const))('read: %s', async (url, { sql, records }) => {
    expect(compiled(url)).toBe(sql);
    const answer = await zoo.send('GET', `${url}${url.includes('?') ? '&' : '?'}accept=csv`);
    expect(answer.status).toBe(200);
    expect(answer.text.split('\n').slice(1, -1)).toEqual(
      records.map((record) => (record.includes('…') ? expect.stringMatching(patternOf(record)) : record)),
    );
  });

  it.each(changes.map((one) => [one.method, one.url, one] as const))(
    'change: %s %s',
    (method, url, { statements, complete }) => {
      expect(statementsOf(method, url, complete ?? false)).toEqual(statements);
    },
  );
});

/** The statement of a read by Alice, as CSV, on lines of single blanks. */
function compiled(url: string): string {
  const { resource, query } = parseResource(url);
  if (resource.kind === 'entity_rid') throw new Error('No rows are asked for.');
  const rights = rightsEvaluator(rolesOf({ id: 'alice' }));
  const authorized = authorizeRead(resolveRead(resource, visibleModel(zooInMemory(), rights)), rights, false, LIVE);
  const plan = planRead(authorized, 'csv', interpretQuery({ resource, query }, 'GET'));
  return inline(readSql(plan)).replace(/\s+/g, ' ');
}

function patternOf(record: string): RegExp {
  return new RegExp(
    `^${record
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
}
