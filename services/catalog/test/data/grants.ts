import { expect } from '@jest/globals';
import { json, type Zoo } from '../support/zoo.js';

/** Sets ACLs, by their resource: a right alone is granted to Bob, `right=nobody` to nobody. */
export async function grant(zoo: Zoo, lists: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [resource, rights] of Object.entries(lists)) {
    for (const right of rights) {
      const [name = '', nobody] = right.split('=');
      const answer = await zoo.send('PUT', `${resource}/${name}`, { body: json(nobody ? [] : ['bob']) });
      expect(`${resource}/${right} ${answer.status} ${answer.text}`).toMatch(/ (200 .*|204 )$/s);
    }
  }
}
