export {
  type Advertisement,
  type CallOptions,
  type Catalog,
  type CatalogClient,
  type CatalogDescription,
  type CreateOptions,
  catalogClient,
  type QueryOptions,
  type RowFormat,
  type RowsInput,
  type TableReference,
} from './catalog-client.js';
export type { Credential, StaticCredential } from './credential.js';
export type { DataAnswer } from './data-answer.js';
export {
  type ExportClient,
  type ExportKind,
  type ExportResult,
  type ExportStatus,
  exportClient,
  type FinishedExport,
} from './export-client.js';
export {
  type ExternalClient,
  type ExternalClientOptions,
  externalClient,
  RefusedAddressError,
} from './external-client.js';
export {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  isBrokenTransfer,
  type RequestBody,
} from './http-client.js';
export { HttpError, TransportError } from './http-error.js';
export {
  type AccessLists,
  factsOf,
  type GetOptions,
  type NamespaceOptions,
  type ObjectFacts,
  type ObjectStoreClient,
  objectStoreClient,
  type PutOptions,
  parseDisposition,
  printDisposition,
} from './object-store-client.js';
export { isPublicAddress } from './public-address.js';
export { pause, type RetryPolicy, readRetries } from './retry.js';
export { type LoggedIn, type SessionClient, sessionClient } from './session-client.js';
export { type SteadyObject, type SteadyReadOptions, steadyRead } from './steady-read.js';
export { encodeName, joinPath, queryString, tableName } from './url-path.js';
