import type { Survey } from './survey.js';

const visit = { columns: ['pool', 'date'], table: 'visit', key: ['pool', 'date'] };

/** The survey that comes with the repository; `sample-data/README.md` describes it. */
export const tidePools: Survey = {
  name: 'tide-pools',
  title: 'Tide pools of Skerry Bay',
  schema: 'shore',
  tables: [
    {
      name: 'pool',
      comment: 'Rock pools that are surveyed',
      csv: 'pool.csv',
      columns: {
        pool: 'text',
        name: 'text',
        zone: 'text',
        height_m: 'float8',
        area_m2: 'float8',
        depth_cm: 'int4',
      },
      optional: [],
      key: ['pool'],
      references: [],
    },
    {
      name: 'species',
      comment: 'What is looked for: animals are counted, algae are given as cover',
      csv: 'species.csv',
      columns: {
        species: 'text',
        scientific_name: 'text',
        common_name: 'text',
        kind: 'text',
        group: 'text',
        note: 'text',
      },
      optional: ['note'],
      key: ['species'],
      references: [],
    },
    {
      name: 'visit',
      comment: 'One pool on one day at low water',
      csv: 'visit.csv',
      columns: {
        pool: 'text',
        date: 'date',
        water_temperature: 'float8',
        salinity: 'float8',
        surveyor: 'text',
        weather: 'text',
        remark: 'text',
      },
      optional: ['salinity', 'remark'],
      key: ['pool', 'date'],
      references: [{ columns: ['pool'], table: 'pool', key: ['pool'] }],
    },
    {
      name: 'observation',
      comment: 'One species at one visit',
      csv: 'observation.csv',
      columns: {
        pool: 'text',
        date: 'date',
        species: 'text',
        count: 'int4',
        cover_percent: 'float8',
        remark: 'text',
      },
      optional: ['count', 'cover_percent', 'remark'],
      key: ['pool', 'date', 'species'],
      references: [visit, { columns: ['species'], table: 'species', key: ['species'] }],
    },
  ],
  files: {
    table: 'picture',
    comment: 'Sketches and notes made at a visit',
    includes: (fileName) => /^[a-z-]+_\d{4}-\d\d-\d\d\.(?:png|txt)$/.test(fileName),
    columns: { pool: 'text', date: 'date' },
    references: [visit],
    describe: (fileName) => {
      const [pool = '', date = ''] = fileName.replace(/\.[^.]*$/, '').split('_');
      return { pool, date };
    },
  },
  question: {
    words: 'Which animals were most numerous in the middle and lower pools when the water was warmer than 14 degrees?',
    path:
      '/attributegroup/O:=shore:observation/V:=shore:visit/water_temperature::gt::14' +
      '/P:=shore:pool/zone=any(middle,lower)/$O/S:=shore:species/kind=animal' +
      '/animal:=S:common_name;seen_at_visits:=cnt(*),animals:=sum(O:count),warmest:=max(V:water_temperature)' +
      '@sort(animals::desc::,animal)?limit=8',
  },
};
