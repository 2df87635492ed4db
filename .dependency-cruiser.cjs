/**
 * Who may import whom: the house rules of the repository, checked by `pnpm depcheck`. Sources are read, imports of types included;
 * nothing needs to be built. A package of the workspace is seen by its name (`@holdfast/...`).
 */

/** For each service its stages, and for each stage the other ones it may use: those of the request's way that lie before it. */
const stages = {
  catalog: {
    migrations: ['model'],
    model: ['migrations'],
    history: ['migrations', 'model'],
    registry: ['migrations', 'model', 'history'],
    'schema-change': ['migrations', 'model', 'history', 'registry'],
    resolve: ['model', 'history'],
    authorize: ['model', 'history', 'resolve'],
    plan: ['model', 'history', 'resolve', 'authorize'],
    sql: ['model', 'history', 'resolve', 'authorize', 'plan'],
    execute: ['model', 'history', 'resolve', 'authorize', 'plan', 'sql', 'registry', 'migrations'],
  },
  objectstore: {
    naming: [],
    authorize: ['naming'],
    directory: ['naming', 'authorize'],
    blobs: ['naming', 'directory'],
    transfer: ['naming', 'authorize', 'directory', 'blobs'],
    uploads: ['naming', 'authorize', 'directory', 'blobs', 'transfer'],
    maintenance: ['naming', 'directory', 'blobs', 'uploads'],
  },
  export: {
    request: [],
    job: ['request'],
    steps: ['request', 'job'],
    package: ['request', 'job', 'steps'],
    publish: ['request', 'job', 'steps', 'package'],
  },
};

/** What a stage uses of pg-kit beyond the pieces of SQL text: connections. The text of SQL may be made anywhere in the catalog. */
const withoutDatabase = ['resolve', 'authorize', 'plan'];

/** Packages without input and output, and without any other package of ours. */
const pure = ['path-grammar', 'acl', 'bagit'];

const stageRules = Object.entries(stages).flatMap(([service, table]) =>
  Object.entries(table).map(([stage, earlier]) => ({
    name: `${service}-${stage}-uses-earlier-stages`,
    comment: `${stage}/ of ${service} may import only: ${[stage, ...earlier].join(', ')} and the packages.`,
    severity: 'error',
    from: { path: `^services/${service}/src/${stage}/` },
    to: {
      path: `^services/${service}/src/`,
      pathNot: `^services/${service}/src/(?:(?:${[stage, ...earlier].join('|')})/|settings\\.ts$)`,
    },
  })),
);

module.exports = {
  forbidden: [
    ...stageRules,
    {
      name: 'services-speak-http',
      comment: 'A service never imports another service: they speak HTTP.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: ['^services/[^/]+/', '^@holdfast/(?:catalog|objectstore|export)(?:/|$)'], pathNot: '^services/$1/' },
    },
    {
      name: 'packages-know-no-service',
      comment: 'Packages are used by services, never the other way round.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: ['^services/', '^@holdfast/(?:catalog|objectstore|export)(?:/|$)'] },
    },
    {
      name: 'packages-by-name',
      comment: 'Another package is imported by its name: what its index.ts does not offer is its own.',
      severity: 'error',
      from: { path: '^(packages|services)/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^$1/$2/' },
    },
    {
      name: 'no-way-round-the-index',
      comment: 'Only the package itself is imported, not files within it.',
      severity: 'error',
      from: {},
      to: { path: '^@holdfast/[^/]+/.' },
    },
    {
      name: 'pure-packages',
      comment: `${pure.join(', ')} import no other package of ours.`,
      severity: 'error',
      from: { path: `^packages/(?:${pure.join('|')})/(?:src|bench)/` },
      to: { path: '^@holdfast/' },
    },
    {
      name: 'tests-stay-outside',
      comment: 'What is shipped does not import tests or the means of tests.',
      severity: 'error',
      from: {
        path: '^(?:packages|services)/[^/]+/src/',
        pathNot: ['\\.test\\.ts$', '^packages/(?:testkit|deploy-checks)/'],
      },
      to: { path: ['\\.test\\.ts$', '/test/', '^@holdfast/testkit(?:/|$)', '/@jest/globals/'] },
    },
    {
      name: 'stages-without-database',
      comment: `${withoutDatabase.join(', ')} decide from data alone: only later stages may reach PostgreSQL.`,
      severity: 'error',
      from: { path: `^services/catalog/src/(?:${withoutDatabase.join('|')})/`, pathNot: '\\.test\\.ts$' },
      to: { path: ['^@holdfast/pg-kit$', '/node_modules/(?:pg|pg-copy-streams|pg-cursor|knex)/'] },
    },
    {
      name: 'express-lives-in-http',
      comment: 'Only http/ and the files beside it know Express.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/(?!http/)[^/]+/', pathNot: '\\.test\\.ts$' },
      to: { path: '/node_modules/express/' },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    // the parser that comes with dependency-cruiser knows no TypeScript, and its other one needs a TypeScript before 7
    parser: 'swc',
    exclude: { path: '^(?:packages|services)/[^/]+/dist/' },
    doNotFollow: { path: 'node_modules' },
  },
};
