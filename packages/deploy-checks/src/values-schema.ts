import { definitions, type JsonSchema } from './value-shapes.js';
import type { Value } from './values-tree.js';

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
    description: 'In production the keys of issuers are fetched over https.',
    if: globally({ environment: { const: 'production' } }),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: globally({
      config: {
        properties: {
          OIDC: { items: { properties: { issuer: { pattern: '^https://' }, jwksUri: { pattern: '^https://' } } } },
        },
      },
    }),
  },
  {
    description: 'Local users need a database.',
    if: globally({ config: { properties: { PASSWORD_LOGIN: { const: 'local' } }, required: ['PASSWORD_LOGIN'] } }),
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: globally({ identityDatabase: { properties: { existingSecret: { minLength: 1 } } } }),
  },
];

/** Combinations that are refused, in single charts. */
const rulesOfChart: Readonly<Record<string, readonly JsonSchema[]>> = {
  objectstore: [
    {
      description: 'S3 needs a bucket.',
      if: configured({ STORAGE_ADAPTER: { const: 's3' } }),
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: configured({ S3_BUCKET: { type: 'string', minLength: 1 } }),
    },
  ],
  export: [
    {
      description: 'A list of hosts that may be fetched from has hosts.',
      if: configured({ EXTERNAL_FETCH: { const: 'allowlist' } }),
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: configured({ EXTERNAL_FETCH_HOSTS: { type: 'array', minItems: 1 } }),
    },
  ],
};

function configured(properties: JsonSchema): JsonSchema {
  return { required: ['config'], properties: { config: { required: Object.keys(properties), properties } } };
}

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
    allOf: [...rules, ...(rulesOfChart[chart] ?? [])],
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
