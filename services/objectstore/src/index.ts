export { OBJECT_STORE_AUDIENCE, objectStoreService } from './service.js';
