/**
 * What differs between the two wire profiles, as one table (spec/profiles.md). `standard` follows the seed documents;
 * `deriva` is what clients of that protocol family send and expect. Code asks for a field, never for the name of the
 * profile. Single fields can be overridden by configuration ({@link wireProfile}).
 */
export interface WireProfile {
  /** URL prefixes of each service, the canonical one first. */
  readonly catalogPrefixes: readonly string[];
  readonly objectStorePrefixes: readonly string[];
  readonly exportPrefixes: readonly string[];
  /** Where the session module answers. */
  readonly authnPrefixes: readonly string[];
  /** Authorities of special annotation keys, the preferred one first. */
  readonly registrants: readonly string[];
  /** Prefix of the built-in tables in `public`: `<prefix>RID_Lease` and so on. */
  readonly builtinTablePrefix: string;
  /** Form of `type` in column documents. Requests may use both. */
  readonly columnTypeForm: 'string' | 'object';
  /** Prefix of the five system column type names: `rid` or `ermrest_rid`. */
  readonly systemTypePrefix: string;
  /** Schema of the table `registry` of catalog `0`. */
  readonly registrySchema: string;
  /** Answer of GET and HEAD with a failing `If-Match`. */
  readonly failedIfMatchOnRead: 412 | 304;
  /** GET of several satisfiable ranges. */
  readonly severalRanges: 'multipart' | 'refuse';
  /** POST on a finished upload job. */
  readonly repeatedFinalize: 'created' | 'not_found';
  /** Form of an error when `Accept` does not decide. */
  readonly errorForm: 'json' | 'text';
  /** Whether text errors name their charset. */
  readonly errorTextType: 'text/plain; charset=utf-8' | 'text/plain';
  /** Opening sentence of an error by status; others use the title. */
  readonly errorTitles: Readonly<Record<number, string>>;
  /** Sentence put before the database's message when input violates a key or foreign key. */
  readonly inputViolationPrefix: string;
  /** Status of POST table, column, key, foreign key. */
  readonly modelCreatedStatus: 200 | 201;
  /** Whether POST key, POST foreign key and the full foreign key resource answer an array of one. */
  readonly constraintAnswerAsArray: boolean;
  /** PUT of ACLs and ACL bindings: nothing, or the resulting document. */
  readonly aclPutAnswer: 'none' | 'document';
  /** Whether `GET schema` through an alias names the alias target. */
  readonly aliasTargetInModel: boolean;
  readonly namespaceMediaTypes: readonly string[];
  /** DELETE of a namespace with children. */
  readonly deleteNonEmptyNamespace: 'reject' | 'bulk';
  /** Where hashes show that the service computed itself. */
  readonly exposeComputedHashes: 'everywhere' | 'headers' | 'never';
  /** Answer to access modes that a kind of resource does not have. */
  readonly unknownAclStatus: 404 | 400;
  /** Reserved characters without a meaning that stand unescaped in object store names. */
  readonly unescapedSubDelimiters: 'accept' | 'refuse';
  /** DELETE of a checksum that is set. */
  readonly checksumDelete: 'refuse' | 'allow';
  /** A change of access lists that leaves a resource of the object store without an owner. */
  readonly emptyOwner: 'refuse' | 'allow';
  /** Whether a rename may say `versions` for `source_versions`. */
  readonly renameVersionsAlias: boolean;
  /** Newline after metadata values and ACL entries. */
  readonly valueNewline: boolean;
  /** Path segments that mean bag export. */
  readonly bagSegments: readonly string[];
  readonly exportSuccessStatus: 200 | 201;
  readonly emptyResults: 'keep' | 'omit';
  /** Archive format when the request names none; null: refuse. */
  readonly bagDefaultArchiver: 'zip' | null;
  /** Start of the bag name when the request gives none; null: refuse. */
  readonly bagDefaultName: string | null;
  readonly sessionCookieName: string;
}

/** Names a deployment may choose from. */
export type WireProfileName = 'standard' | 'deriva';

const standardTitles: Readonly<Record<number, string>> = {
  400: 'Malformed request.',
  401: 'Authentication required.',
  403: 'Access denied.',
  404: 'Not found.',
  405: 'Method not allowed.',
  409: 'Request conflicts with state of server.',
  411: 'Length required.',
  412: 'Precondition failed.',
  413: 'Too large.',
  414: 'Too large.',
  415: 'Unsupported media type.',
  416: 'Range not satisfiable.',
  429: 'Too many requests.',
  500: 'Internal error.',
  501: 'Not implemented.',
  502: 'Upstream failure.',
  503: 'Temporarily unavailable.',
  504: 'Upstream time-out.',
};

/** Switches that no known client needs otherwise (spec/objectstore.md 16): they are there to be overridden. */
const objectStoreLeniency = {
  unknownAclStatus: 404,
  unescapedSubDelimiters: 'accept',
  checksumDelete: 'refuse',
  emptyOwner: 'refuse',
  renameVersionsAlias: true,
} as const;

const profiles: Readonly<Record<WireProfileName, WireProfile>> = {
  standard: {
    catalogPrefixes: ['/data'],
    objectStorePrefixes: ['/objects'],
    exportPrefixes: ['/export'],
    authnPrefixes: ['/authn'],
    registrants: ['example.org'],
    builtinTablePrefix: 'Catalog_',
    columnTypeForm: 'string',
    systemTypePrefix: '',
    registrySchema: 'registry',
    failedIfMatchOnRead: 412,
    severalRanges: 'multipart',
    repeatedFinalize: 'created',
    errorForm: 'json',
    errorTextType: 'text/plain; charset=utf-8',
    errorTitles: standardTitles,
    inputViolationPrefix: '',
    modelCreatedStatus: 200,
    constraintAnswerAsArray: false,
    aclPutAnswer: 'none',
    aliasTargetInModel: false,
    namespaceMediaTypes: ['application/x-objstore-namespace'],
    deleteNonEmptyNamespace: 'reject',
    exposeComputedHashes: 'everywhere',
    ...objectStoreLeniency,
    valueNewline: false,
    bagSegments: ['bag'],
    exportSuccessStatus: 200,
    emptyResults: 'keep',
    bagDefaultArchiver: null,
    bagDefaultName: null,
    sessionCookieName: 'session',
  },
  deriva: {
    catalogPrefixes: ['/ermrest', '/data'],
    objectStorePrefixes: ['/hatrac', '/objects'],
    exportPrefixes: ['/deriva/export', '/export'],
    authnPrefixes: ['/authn', '/ermrest/authn', '/hatrac/authn', '/deriva/export/authn'],
    registrants: ['isrd.isi.edu', 'misd.isi.edu'],
    builtinTablePrefix: 'ERMrest_',
    columnTypeForm: 'object',
    systemTypePrefix: 'ermrest_',
    registrySchema: 'ermrest',
    failedIfMatchOnRead: 304,
    severalRanges: 'refuse',
    repeatedFinalize: 'not_found',
    errorForm: 'text',
    errorTextType: 'text/plain',
    errorTitles: {
      ...standardTitles,
      400: 'Request malformed.',
      401: 'Access requires authentication.',
      403: 'Access forbidden.',
      404: 'Resource not found.',
      405: 'Request method not allowed on this resource.',
      412: 'Resource state does not match requested preconditions.',
      415: 'The request input type is not supported.',
      500: 'The request execution encountered a runtime error.',
      503: 'The service is temporarily unavailable.',
    },
    inputViolationPrefix: 'Input data violates model. ERROR:  ',
    modelCreatedStatus: 201,
    constraintAnswerAsArray: true,
    aclPutAnswer: 'document',
    aliasTargetInModel: true,
    namespaceMediaTypes: ['application/x-objstore-namespace', 'application/x-hatrac-namespace'],
    deleteNonEmptyNamespace: 'bulk',
    exposeComputedHashes: 'headers',
    ...objectStoreLeniency,
    valueNewline: true,
    bagSegments: ['bag', 'bdbag'],
    exportSuccessStatus: 201,
    emptyResults: 'omit',
    bagDefaultArchiver: 'zip',
    bagDefaultName: 'deriva_bag_',
    sessionCookieName: 'webauthn',
  },
};

/**
 * The table a deployment speaks.
 * @param name which of the two
 * @param overrides single fields set by configuration
 */
export function wireProfile(name: WireProfileName, overrides: Partial<WireProfile> = {}): WireProfile {
  return Object.freeze({ ...profiles[name], ...overrides });
}

/**
 * What is wrong with one override of a configuration: a field that is not there, or a value of another kind than the field has in either profile.
 * @returns null when nothing is
 */
export function overrideFault(name: string, value: unknown): string | null {
  const known: readonly (readonly [string, unknown])[] = Object.values(profiles).flatMap((profile) =>
    Object.entries(profile),
  );
  const kinds = known.filter(([field]) => field === name).map(([, usual]) => kindOf(usual));
  if (kinds.length === 0) return 'is no field of the profile';
  return kinds.includes(kindOf(value)) ? null : `must be of this kind: ${[...new Set(kinds)].join(' or ')}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
