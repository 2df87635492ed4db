import { writeFileSync } from 'node:fs';

/** Tells run-tests.mjs the counts; a file of tests that could not be run at all counts as one failure. */
// Jest asks for a default export here
export default class SummaryReporter {
  onRunComplete(_, results) {
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    if (process.env.HOLDFAST_TEST_SUMMARY) writeFileSync(process.env.HOLDFAST_TEST_SUMMARY, JSON.stringify(counts));
  }
}
