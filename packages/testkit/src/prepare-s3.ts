import { prepareS3Binary } from './s3-binary.js';

// For continuous integration, as a step of its own: builds the S3 server of the tests unless it is there.
const found = process.env.S3_ENDPOINT ? null : await prepareS3Binary();
if (found === null) process.stdout.write(`Tests use the S3 server at ${process.env.S3_ENDPOINT}.\n`);
else if (found.kind === 'program') process.stdout.write('The S3 server of the tests is there.\n');
else process.stdout.write(`NO S3 SERVER: ${found.reason}. Tests on S3 will be skipped.\n`);
