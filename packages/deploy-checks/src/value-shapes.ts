export type JsonSchema = Readonly<Record<string, unknown>>;

const text: JsonSchema = { type: 'string', minLength: 1 };
const httpUrl: JsonSchema = { type: 'string', pattern: '^https?://' };
/** An issuer of tokens, as packages/identity reads it. */
const issuer: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['issuer', 'audiences'],
  properties: {
    issuer: httpUrl,
    audiences: { type: 'array', minItems: 1, items: text },
    jwksUri: httpUrl,
    algorithms: { type: 'array', minItems: 1, items: { enum: ['RS256', 'PS256', 'ES256', 'EdDSA'] } },
    clientIdTemplate: text,
    groupsClaim: text,
    groupPrefix: { type: 'string' },
    nameClaims: {
      type: 'object',
      additionalProperties: false,
      properties: { displayName: text, fullName: text, email: text },
    },
    requiredScope: text,
    serviceIdentities: { type: 'boolean' },
  },
};

/** Shapes that values refer to. */
export const definitions: Readonly<Record<string, JsonSchema>> = {
  issuer,
  quantities: {
    type: 'object',
    required: ['cpu', 'memory'],
    additionalProperties: { $ref: '#/definitions/quantity' },
  },
  quantity: { type: ['string', 'number'], pattern: '^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi)?$' },
  resources: {
    type: 'object',
    additionalProperties: false,
    required: ['requests', 'limits'],
    properties: { requests: { $ref: '#/definitions/quantities' }, limits: { $ref: '#/definitions/quantities' } },
  },
  // no ports would mean all of them
  egress: egress({ minItems: 1 }),
  // there are those of the places that values name
  egressToPlaces: egress({}),
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

function egress(ports: JsonSchema): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['ports'],
    properties: {
      ports: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65535 }, ...ports },
      to: { type: 'array', items: { type: 'object' } },
    },
  };
}
