import type { EmbeddedPostgres } from '@holdfast/stack';

/** The PostgreSQL that Jest's global set-up started, and the temporary directory of its files. */
export type TestServer = { readonly server: EmbeddedPostgres; readonly directory: string };

declare global {
  // Jest loads set-up and teardown as unrelated modules of one process: only the global object is common to both
  var holdfastTestServer: TestServer | undefined;
}

export function rememberTestServer(started: TestServer): void {
  globalThis.holdfastTestServer = started;
}

export function rememberedTestServer(): TestServer | null {
  return globalThis.holdfastTestServer ?? null;
}
