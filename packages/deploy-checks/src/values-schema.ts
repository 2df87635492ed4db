import type { Value } from './values-tree.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Shapes that values refer to. */
const definitions: Readonly<Record<string, JsonSchema>> = {
  quantities: {
    type: 'object',
    required: ['cpu', 'memory'],
    additionalProperties: { type: ['string', 'number'] },
  },
  resources: {
    type: 'object',
    additionalProperties: false,
    required: ['requests', 'limits'],
    properties: { requests: { $ref: '#/definitions/quantities' }, limits: { $ref: '#/definitions/quantities' } },
  },
  egress: {
    type: 'object',
    additionalProperties: false,
    required: ['ports'],
    properties: {
      // none would mean all
      ports: { type: 'array', minItems: 1, items: { type: 'integer', minimum: 1, maximum: 65535 } },
      to: { type: 'array', items: { type: 'object' } },
    },
  },
  extraEnv: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
        value: { type: 'string', not: { pattern: '://[^/@]*:[^/@]*@' } },
        valueFrom: { type: 'object' },
      },
      // what is called a secret comes from a Secret
      if: { properties: { name: { pattern: '(PASSWORD|SECRET|TOKENS?|_KEY)$' } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { required: ['valueFrom'] },
    },
  },
};

/** Combinations that are refused, in every chart. */
const rules: readonly JsonSchema[] = [
  {
    description: 'In production the public URL is https.',
    if: globally({ environment: { const: 'production' } }),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: globally({ publicUrl: { pattern: '^https://' } }),
  },
  {
    description: 'In production there are no development tokens.',
    if: globally({
      environment: { const: 'production' },
      devTokens: { properties: { allowInProduction: { const: false } } },
    }),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: globally({ devTokens: { properties: { existingSecret: { maxLength: 0 } } } }),
  },
  {
    description: 'Local users need a database.',
    if: globally({ config: { properties: { PASSWORD_LOGIN: { const: 'local' } }, required: ['PASSWORD_LOGIN'] } }),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: globally({ identityDatabase: { properties: { existingSecret: { minLength: 1 } } } }),
  },
];

function globally(properties: JsonSchema): JsonSchema {
  return { properties: { global: { properties } } };
}

/** The values.schema.json of a chart: unknown names and wrong types are refused. */
export function valuesSchema(chart: string, values: readonly Value[]): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Values of the chart "${chart}"`,
    ...objectOf(values, {
      // Helm hands the values of a library chart and of the chart itself on in every case
      common: { type: 'object' },
    }),
    allOf: rules,
    definitions,
  };
}

function objectOf(values: readonly Value[], more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(values.map((value) => [value.name, schemaOf(value)])), ...more },
  };
}

function schemaOf(value: Value): JsonSchema {
  const { description, narrowed, children } = value;
  const said = description === '' ? {} : { description };
  if (narrowed !== null) return { ...said, ...openObject(narrowed, children) };
  return { ...said, ...(children.length > 0 ? objectOf(children) : { type: typeOf(value) }) };
}

/** A map that may hold more than what values.yaml names. */
function openObject(narrowed: JsonSchema, children: readonly Value[]): JsonSchema {
  return narrowed.type === 'object' ? { ...objectOf(children), additionalProperties: true, ...narrowed } : narrowed;
}

function typeOf({ name, initial }: Value): string {
  if (Array.isArray(initial)) return 'array';
  switch (typeof initial) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isInteger(initial) ? 'integer' : 'number';
    case 'object':
      if (initial !== null) return 'object';
  }
  throw new Error(`The value ${name} is null: say with "# @schema" what it may be.`);
}
