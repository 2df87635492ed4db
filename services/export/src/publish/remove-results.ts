import { HttpError, type ObjectStoreClient } from '@holdfast/clients';

/** What an export has stored, as its place is known. */
export interface StoredExport {
  readonly id: string;
  /** `YYYY-MM-DD`, UTC: when it was made. */
  readonly day: string;
}

/** Takes results out of the object store, as the service that owns them. */
export interface ResultRemover {
  /** Everything of an export, whoever of its runs stored it. Harmless when nothing is there. */
  removeAll(stored: StoredExport, signal?: AbortSignal): Promise<void>;
  /** Everything of an export but the versions that were published. */
  removeOthers(stored: StoredExport, published: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Namespaces of days at least two days past of which nothing is left. A deleted name can never be made again, so one that may
   * still be needed is kept (spec/export.md 13.7).
   * @param needed days of which there are exports
   * @returns how many there were
   */
  removeEmptyDays(needed: readonly string[], now: Date, signal?: AbortSignal): Promise<number>;
}

const DAY_MILLISECONDS = 86_400_000;

/** @param root path of the namespace of all results */
export function resultRemover(store: ObjectStoreClient, root: string): ResultRemover {
  const directory = ({ id, day }: StoredExport): string => `${root}/${day}/${id}`;
  return {
    removeAll: (stored, signal) => removeTree(store, directory(stored), callOptions(signal)),
    removeOthers: async (stored, published, signal) => {
      const options = callOptions(signal);
      for (const child of await childrenOf(store, directory(stored), options)) {
        await removeUnpublished(store, child, published, options);
      }
    },
    removeEmptyDays: async (needed, now, signal) => {
      const options = callOptions(signal);
      let removed = 0;
      const limit = new Date(now.getTime() - 2 * DAY_MILLISECONDS).toISOString().slice(0, 10);
      for (const path of await childrenOf(store, root, options)) {
        const day = path.split('/').at(-1) ?? '';
        if (!/^\d{4}-\d\d-\d\d$/.test(day) || day > limit || needed.includes(day)) continue;
        // looked at first: some stores delete a namespace with all that is in it
        if ((await childrenOf(store, path, options)).length > 0) continue;
        if ((await removeName(store, path, options)) === 'gone') removed += 1;
      }
      return removed;
    },
  };
}

interface Options {
  readonly signal?: AbortSignal;
}

function callOptions(signal: AbortSignal | undefined): Options {
  return signal === undefined ? {} : { signal };
}

async function removeTree(store: ObjectStoreClient, path: string, options: Options): Promise<void> {
  if ((await removeName(store, path, options)) === 'gone') return;
  for (const child of await childrenOf(store, path, options)) await removeTree(store, child, options);
  await removeName(store, path, options);
}

/** A name that is no published object holds some in it, or is nobody's. */
async function removeUnpublished(
  store: ObjectStoreClient,
  path: string,
  published: readonly string[],
  options: Options,
): Promise<void> {
  if (published.some((version) => nameOf(version) === path)) {
    for (const version of await store.versions(path, options)) {
      if (!published.includes(version)) await removeName(store, version, options);
    }
  } else if (published.some((version) => version.startsWith(`${path}/`))) {
    for (const child of await childrenOf(store, path, options)) {
      await removeUnpublished(store, child, published, options);
    }
  } else await removeTree(store, path, options);
}

function nameOf(versionPath: string): string {
  return versionPath.replace(/:[^:/]*$/, '');
}

/** 404: somebody else was faster. 409: there is something below it. */
async function removeName(store: ObjectStoreClient, path: string, options: Options): Promise<'gone' | 'in_use'> {
  try {
    await store.remove(path, options);
    return 'gone';
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return 'gone';
    if (error instanceof HttpError && error.status === 409) return 'in_use';
    throw error;
  }
}

async function childrenOf(store: ObjectStoreClient, path: string, options: Options): Promise<readonly string[]> {
  try {
    return await store.list(path, options);
  } catch (error) {
    if (error instanceof HttpError && (error.status === 404 || error.status === 409)) return [];
    throw error;
  }
}
