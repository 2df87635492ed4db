export { createTestDatabase, type TestDatabase, testPostgresUrl } from './postgres.js';
