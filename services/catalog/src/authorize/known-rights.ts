import { type RightsEvaluator, type Roles, rightsEvaluator } from '@holdfast/acl';

/** Gives the evaluator of a client's rights. */
export type KnownRights = (roles: Roles) => RightsEvaluator;

/** An evaluator that has seen all of a model of 20,000 elements holds some megabytes. */
const MOST_EVALUATORS = 16;

/**
 * Keeps the evaluators of the clients that came last: what they have decided about the elements of a model holds as long as the
 * elements themselves are in memory. A client is known by the identity of its role set, which identity keeps as long as it
 * believes the credential.
 */
export function knownRights(capacity: number = MOST_EVALUATORS): KnownRights {
  const evaluators = new Map<Roles, RightsEvaluator>();
  return (roles) => {
    const evaluator = evaluators.get(roles) ?? rightsEvaluator(roles);
    evaluators.delete(roles);
    evaluators.set(roles, evaluator);
    const oldest = evaluators.keys().next();
    if (evaluators.size > capacity && oldest.done !== true) evaluators.delete(oldest.value);
    return evaluator;
  };
}
