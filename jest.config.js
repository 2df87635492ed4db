/** Tests run over the compiled workspace (`tsc -b`), so what is tested is what is shipped. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{packages,services}/*/dist/**/*.test.js'],
  transform: {},
  globalSetup: '<rootDir>/packages/testkit/dist/src/jest-global-setup.js',
  globalTeardown: '<rootDir>/packages/testkit/dist/src/jest-global-teardown.js',
  // finds what hangs; nothing takes a tenth of it on a quiet machine
  testTimeout: 120_000,
  // two cores: more workers only wait for each other
  maxWorkers: 2,
};
