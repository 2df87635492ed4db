import type { Server } from './server.js';

/** What the parts of the story hand on: each continues where the one before has ended. */
export interface Story {
  readonly server: Server;
  /** Of alice's catalog. */
  catalogId: string;
  /** Path of the catalog, with the prefix of the profile. */
  catalog: string;
  /** Path of alice's namespace. */
  namespace: string;
  /** Path of the version of the picture. */
  picture: string;
  /** URL of the bag. */
  bag: string;
}

/** The story before its first word. */
export function newStory(server: Server): Story {
  return { server, catalogId: '', catalog: '', namespace: '', picture: '', bag: '' };
}
