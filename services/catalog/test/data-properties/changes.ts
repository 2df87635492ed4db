import { rightsEvaluator, rolesOf } from '@holdfast/acl';
import { parseResource } from '@holdfast/path-grammar';
import { inline, type Sql } from '@holdfast/pg-kit';
import { authorizeRead } from '../../src/authorize/authorize-read.js';
import type { Change } from '../../src/history/change.js';
import { LIVE } from '../../src/history/moment.js';
import { planInsert } from '../../src/plan/insert-plan.js';
import { planUpdate } from '../../src/plan/update-plan.js';
import { planUpsert } from '../../src/plan/upsert-plan.js';
import type { Writer } from '../../src/plan/write-plan.js';
import { resolveClearing } from '../../src/resolve/resolve-deletion.js';
import { resolveRead } from '../../src/resolve/resolve-read.js';
import { resolveTarget } from '../../src/resolve/resolve-target.js';
import { resolveUpdate } from '../../src/resolve/resolve-update.js';
import { visibleModel } from '../../src/resolve/visible-model.js';
import { clearSql, deleteSql } from '../../src/sql/deletion-sql.js';
import { duplicateInputSql, insertSql } from '../../src/sql/insert-sql.js';
import { jsonStaging } from '../../src/sql/stage-sql.js';
import { unmatchedSql, updateByKeySql } from '../../src/sql/update-sql.js';
import { insertFreshSql, matchSql, repeatedKeySql, updateMatchedSql } from '../../src/sql/upsert-sql.js';
import { zooInMemory } from './zoo-in-memory.js';

const change: Change = { ts: 'NOW', micros: 1n, snapshotId: '2', client: 'alice' };
const formats = { input: 'json', answer: 'csv' } as const;

/**
 * The statements of a change over rows staged as JSON, in the order in which they run; each on lines of single blanks.
 * @param complete the input holds no NULL
 */
export function statementsOf(method: string, url: string, complete: boolean): readonly string[] {
  return statements(method, url, complete).map((statement) => inline(statement).replace(/\s+/g, ' ').trim());
}

function statements(method: string, url: string, complete: boolean): readonly Sql[] {
  const { resource } = parseResource(url);
  const rights = rightsEvaluator(rolesOf({ id: 'alice' }));
  const writer: Writer = { rights, visible: visibleModel(zooInMemory(), rights), anonymous: false };
  const staging = { ...jsonStaging(false), mayBeNull: () => !complete };
  if (resource.kind === 'entity' && method === 'POST') {
    const options = { defaults: [], nondefaults: [], onConflict: 'skip' } as const;
    const plan = planInsert(resolveTarget(resource.path, writer.visible), options, formats, writer);
    return [duplicateInputSql(plan.metakey, staging), insertSql(plan, staging, change)];
  }
  if (resource.kind === 'entity' && method === 'PUT') {
    const plan = planUpsert(resolveTarget(resource.path, writer.visible), formats, writer);
    return [
      repeatedKeySql(plan.metakey, staging),
      matchSql(plan, staging),
      updateMatchedSql(plan, staging, change),
      insertFreshSql(plan, staging, change),
    ];
  }
  if (resource.kind === 'attributegroup' && method === 'PUT') {
    const plan = planUpdate(resolveUpdate(resource, writer.visible), formats, writer);
    return [unmatchedSql(plan, staging), updateByKeySql(plan, staging, change)];
  }
  if (resource.kind === 'entity')
    return [deleteSql(authorizeRead(resolveRead(resource, writer.visible), rights, false, LIVE))];
  if (resource.kind === 'attribute') {
    const { entities, targets } = resolveClearing(resource, writer.visible);
    return [clearSql(authorizeRead(entities, rights, false, LIVE), targets, change)];
  }
  throw new Error(`${method} ${url} changes nothing.`);
}
