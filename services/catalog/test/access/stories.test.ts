import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { expectPart } from '../support/expect-part.js';
import { exampleCategories, exampleRows, exampleSchema } from './documents.js';
import { type Step, stories } from './stories.js';

/** Each step a test of its own, in the order of its story: what fails first shows where it went wrong. */
describe.each(['standard', 'deriva'] as const)(
  'worked examples of spec/catalog-access.md 13, profile %s',
  (profile) => {
    let fixture: CatalogFixture;

    beforeAll(async () => {
      fixture = await startCatalog({ profile });
    });
    afterAll(() => fixture.close());

    describe.each(stories)('$title', ({ steps }) => {
      let catalog = '';

      beforeAll(async () => {
        catalog = await fixture.createCatalog();
        const setting: readonly (readonly [string, string, unknown])[] = [
          ['PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] }],
          ['POST', '/schema', exampleSchema()],
          ['POST', '/entity/S:Cat', exampleCategories],
          ['POST', '/entity/S:D', exampleRows],
        ];
        for (const [method, path, body] of setting)
          await check({ name: '', as: 'alice', method: method as 'PUT', path, body, status: 0 });
      });

      it.each(steps)('$name: $as $method $path', check);

      async function check({ as, method, path, body, status, json, without }: Step): Promise<void> {
        const target = path
          .replace('{D}', '/schema/S/table/D')
          .replace('{F}', '/schema/S/table/D/foreignkey/c_id/reference/S:Cat/id');
        const type = typeof body === 'string' ? 'text/csv' : 'application/json';
        const answer = await fixture.request(as, method, `${catalog}${target}`, body, { 'content-type': type });
        const expected = typeof status === 'number' ? status : status[profile];
        const known = { request: `${as} ${method} ${path}`, status: answer.status, text: answer.text };
        if (expected === 0) expect(known.status < 300 ? 'done' : known).toBe('done');
        else expect(known).toMatchObject({ status: expected });
        if (json !== undefined) expectPart(answer.json, json);
        for (const member of without ?? []) expect(answer.json).not.toHaveProperty(member);
      }
    });

    it('are all there', () => {
      const numbers = stories.flatMap(({ steps }) => steps.map(({ name }) => Number.parseInt(name, 10)));
      const missing = Array.from({ length: 47 }, (_, index) => index + 1).filter((number) => !numbers.includes(number));
      expect(missing).toEqual([]);
    });
  },
);
