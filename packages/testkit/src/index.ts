export {
  type Candidate,
  type Measured,
  type MemoryWatch,
  measure,
  median,
  report,
  watchMemory,
} from './bench-measure.js';
export { type GoProgram, prepareGoProgram, testCache } from './go-program.js';
export { createTestDatabase, type TestDatabase, testPostgresUrl } from './postgres.js';
export { findPython, type PackagePython } from './python-packages.js';
export { prepareS3Binary } from './s3-binary.js';
export { type S3Access, s3OfTestRun, startMinio, startTestS3, type TestS3Server } from './s3-server.js';
