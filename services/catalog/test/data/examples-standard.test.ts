import { testExamples } from './run-examples.js';

testExamples('standard');
