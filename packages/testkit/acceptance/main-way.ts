import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeData } from './data-story.js';
import { describeExports } from './export-story.js';
import { describeModel } from './model-story.js';
import { describeObjects } from './object-story.js';
import { isTestable, openServer } from './server.js';
import { describeServices } from './service-story.js';
import { describeSnapshotExports } from './snapshot-export-story.js';
import { newStory, type Story } from './story.js';
import type { ProfileName } from './wire.js';

/** A stack needs a while to start on a busy machine. */
const startLimit = 120_000;

/**
 * The demo's way through all services, seen by a client that knows a URL and tokens. It is one story: each part goes on with what the
 * one before has left, so the first failure is the one to look at.
 */
export function describeMainWay(profile: ProfileName): void {
  const describeIf = isTestable(profile) ? describe : describe.skip;
  describeIf(`the main way, ${profile} profile`, () => {
    let current: Story | undefined;
    const story = (): Story => {
      if (current === undefined) throw new Error('The server did not start.');
      return current;
    };
    beforeAll(async () => {
      current = newStory(await openServer(profile));
    }, startLimit);
    afterAll(() => current?.server.close(), startLimit);

    describeServices(story);
    describeModel(story);
    describeData(story);
    describeObjects(story);
    describeExports(story);
    describeSnapshotExports(story);
  });
}
