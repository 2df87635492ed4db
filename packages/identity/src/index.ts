export {
  type Attribute,
  anonymousContext,
  type Client,
  type ClientContext,
  type ClientSession,
  clientOf,
  type SessionKind,
} from './client-context.js';
export { attributeDocument, clientDocument, toAttributeDocument, toClientDocument } from './client-documents.js';
export { type Identity, type IdentityOptions, type IdentityPorts, migrateIdentity, openIdentity } from './identity.js';
export { type LocalUser, setLocalPassword } from './local-users.js';
export { identityMigrations } from './migrations.js';
export { credentialOf, type RequestCredential } from './request-credential.js';
export { SealError, type Sealer, type SealingKey, sealer, sealingKeyIdOf, sealingKeysVariable } from './sealer.js';
export {
  type DelegationRequest,
  type ServiceSigner,
  type ServiceSignerOptions,
  serviceSigner,
} from './service-signer.js';
export { jobOfDelegation } from './service-tokens.js';
export { type IdentityConfig, identityVariables } from './variables.js';
