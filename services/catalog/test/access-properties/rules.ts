/** The rules that the naive evaluator follows, each of which can be switched off. */
export const ruleNames = [
  'a list grants what its name implies',
  'the owner of the parent has every right',
  'a right is inherited',
  'a list of its own blocks inheritance',
  'anonymous clients only read',
  'a hidden schema hides its tables',
  'a column has no right that its table lacks',
  'RID, RCT and RMT are seen with their table',
  'system columns are not changed',
  'foreign keys are open without a list',
  'foreign keys are seen with both of their ends',
  'bindings have a scope',
  'bindings of type owner give every access',
  'bindings to change rows let one read them',
  'columns take over bindings of their table',
  'bindings of a column replace those of its table by name',
  'false switches a binding of the table off',
  'rows without a match are hidden',
  'values without a match are masked',
  'masked values are masked in filters too',
  'the wildcard in a row is for everybody',
  'groups count as roles',
  'one of several rows at the end of a link is enough',
  'filters narrow',
  'filters can be negated',
  'unknown is not true when negated',
  'all parts of an and must hold',
  'one part of an or is enough',
  'a filter may look at an instance before',
  'a link may start at an instance before',
  'links compare all columns',
  'whole entities need every column',
  'columns used need a right',
  'columns that are not seen are not there',
  'links that are not seen are not there',
  'rows to be changed must match',
  'rows to be deleted must match',
  'columns to be changed must match',
  'changes find only rows that are seen',
  'keys of changes compare what is seen',
  'inserting needs a right',
  'defaulted columns need no right',
  'new rows of a PUT need the right to insert',
  'references need a right',
  'references are open by bindings',
  'incomplete references need no right',
  'references need the right of the kind of change',
  'cascades need no right',
  'answers of PUT show what was written',
] as const;

export type RuleName = (typeof ruleNames)[number];

/** Whether a rule is in force. */
export type Rules = (rule: RuleName) => boolean;

export const allRules: Rules = () => true;

export function without(rule: RuleName): Rules {
  return (other) => other !== rule;
}
