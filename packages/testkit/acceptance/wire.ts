export type ProfileName = 'standard' | 'deriva';

/**
 * What a client sees of a wire profile on the way of the main job (spec/profiles.md). Written down once more, not taken from the
 * services: the suite is the other side of the wire.
 */
export interface Wire {
  readonly catalog: string;
  readonly objects: string;
  readonly exports: string;
  /** Further prefixes under which the services answer. */
  readonly otherCatalogPrefixes: readonly string[];
  readonly builtinTables: readonly string[];
  readonly cookie: string;
  readonly textColumn: unknown;
  readonly textArrayColumn: unknown;
  readonly ridColumn: unknown;
  readonly modelCreated: number;
  readonly constraintAsArray: boolean;
  readonly aclPut: number;
  readonly failedIfMatchOnRead: number;
  readonly severalRanges: number;
  readonly errorType: string;
  readonly titles: { readonly 400: string; readonly 401: string; readonly 403: string; readonly 404: string };
  readonly inputViolation: string;
  readonly namespaceTypes: readonly string[];
  readonly metadataValueEnd: string;
  readonly exportSuccess: number;
  readonly logType: string;
  readonly bagWithoutArchiver: number;
  readonly keepsEmptyResults: boolean;
}

export const wires: Readonly<Record<ProfileName, Wire>> = {
  standard: {
    catalog: '/data',
    objects: '/objects',
    exports: '/export',
    otherCatalogPrefixes: [],
    builtinTables: ['Catalog_Client', 'Catalog_Group', 'Catalog_RID_Lease'],
    cookie: 'session',
    textColumn: 'text',
    textArrayColumn: 'text[]',
    ridColumn: 'rid',
    modelCreated: 200,
    constraintAsArray: false,
    aclPut: 204,
    failedIfMatchOnRead: 412,
    severalRanges: 206,
    errorType: 'application/json',
    titles: { 400: 'Malformed request.', 401: 'Authentication required.', 403: 'Access denied.', 404: 'Not found.' },
    inputViolation: '',
    namespaceTypes: ['application/x-objstore-namespace'],
    metadataValueEnd: '',
    exportSuccess: 200,
    logType: 'text/plain; charset=utf-8',
    bagWithoutArchiver: 400,
    keepsEmptyResults: true,
  },
  deriva: {
    catalog: '/ermrest',
    objects: '/hatrac',
    exports: '/deriva/export',
    otherCatalogPrefixes: ['/data'],
    builtinTables: ['ERMrest_Client', 'ERMrest_Group', 'ERMrest_RID_Lease'],
    cookie: 'webauthn',
    textColumn: { typename: 'text' },
    textArrayColumn: { typename: 'text[]', is_array: true, base_type: { typename: 'text' } },
    ridColumn: { typename: 'ermrest_rid', is_domain: true, base_type: { typename: 'text' } },
    modelCreated: 201,
    constraintAsArray: true,
    aclPut: 200,
    failedIfMatchOnRead: 304,
    severalRanges: 501,
    errorType: 'text/plain',
    titles: {
      400: 'Request malformed.',
      401: 'Access requires authentication.',
      403: 'Access forbidden.',
      404: 'Resource not found.',
    },
    inputViolation: 'Input data violates model. ERROR:  ',
    namespaceTypes: ['application/x-objstore-namespace', 'application/x-hatrac-namespace'],
    metadataValueEnd: '\n',
    exportSuccess: 201,
    logType: 'text/plain',
    bagWithoutArchiver: 201,
    keepsEmptyResults: false,
  },
};
