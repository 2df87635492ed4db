import { member, type PastReader } from '../past-reader.js';
import type { CatalogView, TableView } from './naive-catalog.js';
import type { Random } from './random-changes.js';

/**
 * Amends and redacts random stretches of history, in the catalog and in the views of its snapshots, so that both tell the same
 * afterwards.
 * @param ids of the snapshots, in the order of the views
 */
export async function amendAtRandom(
  past: PastReader,
  random: Random,
  ids: readonly string[],
  views: readonly CatalogView[],
  count: number,
): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const [from = 0, to = 0] = [random.below(ids.length), random.below(ids.length)].sort((a, b) => a - b);
    const seen = from + random.below(to - from + 1);
    const tables = [...(views[seen] ?? new Map<string, TableView>())];
    if (tables.length === 0) continue;
    const [name, view] = random.pick(tables);
    const range = `/history/${ids[from]},${ids[to]}`;
    const element = `@${ids[seen]}/schema/${name.replace(':', '/table/')}`;
    const inside = views
      .slice(from, to)
      .flatMap((each) => [...each.values()].filter((table) => table.identity === view.identity));
    switch (random.below(3)) {
      case 0: {
        await past.done('PUT', `${range}/annotation/${await ridOf(past, element)}`, { note: -1 - done });
        for (const table of inside) table.note = -1 - done;
        break;
      }
      case 1: {
        const select = ['alice', `amended ${done}`];
        await past.done('PUT', `${range}/acl/${await ridOf(past, element)}`, { select });
        for (const table of inside) table.select = select;
        break;
      }
      default:
        await redactAtRandom(past, random, { range, element, view, from, to });
    }
  }
}

async function redactAtRandom(
  past: PastReader,
  random: Random,
  {
    range,
    element,
    view,
    from,
    to,
  }: {
    readonly range: string;
    readonly element: string;
    readonly view: TableView;
    readonly from: number;
    readonly to: number;
  },
): Promise<void> {
  const columns = view.columns.filter(({ name }) => name !== 'id');
  if (columns.length === 0) return;
  const column = random.pick(columns);
  const target = `${range}/attribute/${await ridOf(past, `${element}/column/${column.name}`)}`;
  const id = view.columns.find(({ name }) => name === 'id');
  const wanted = random.below(2) === 0 ? null : 1 + random.below(25);
  await past.done(
    'DELETE',
    wanted === null ? target : `${target}/${await ridOf(past, `${element}/column/id`)}=${wanted}`,
  );
  for (const { birth, death, cells } of view.versions) {
    const matches = wanted === null || (id !== undefined && cells.get(id.identity) === wanted);
    if (matches && birth >= from && death !== null && death <= to) cells.set(column.identity, null);
  }
}

async function ridOf(past: PastReader, element: string): Promise<string> {
  return member(await past.done('GET', element), 'RID');
}
