/** One POST: the table and its rows. A member left out is SQL NULL. */
export interface TableLoad {
  readonly table: string;
  /** Parameters of the first POST, which lets the serial ids be drawn. */
  readonly parameters: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** The rows of the worked examples, spec/catalog-data.md 11.1, in the order in which they are loaded. */
export const zooRows: readonly TableLoad[] = [
  {
    table: 'species',
    parameters: '',
    rows: [
      { id: 1, code: 'LEO', name: 'Lion', legs: 4, tags: ['cat', 'big'], info: { diet: 'meat' } },
      { id: 2, code: 'EMU', name: 'Emu', legs: 2, tags: ['bird'] },
      { id: 3, code: 'BOA', name: 'Boa', legs: 0, tags: [], info: { diet: 'meat', len: 3 } },
      { id: 4, code: 'FEL', name: null, legs: 4, tags: null, info: null },
    ],
  },
  {
    table: 'enclosure',
    parameters: '',
    rows: [
      { id: 1, name: 'Savanna', opened: '2001-05-01' },
      { id: 2, name: 'Reptile House', opened: '2010-09-15' },
      { id: 3, name: 'Empty', opened: null },
    ],
  },
  {
    table: 'animal',
    parameters: '',
    rows: [
      animal(1, 'Asha', 1, 1, null, 190.5, '2015-03-11T11:32:56.12Z'),
      animal(2, 'Bo', 1, 1, 1, 80, '2019-07-01T00:00:00Z'),
      animal(3, 'Cleo', 3, 2, null, 12.25, null),
      animal(4, '', 2, 1, null, null, '2020-02-29T23:59:59Z'),
      animal(5, null, null, null, null, 7, null),
    ],
  },
  {
    table: 'transfer',
    parameters: '?defaults=id',
    rows: [
      { id: 1, animal_id: 1, from_id: 2, to_id: 1, day: '2016-01-01' },
      { id: 2, animal_id: 3, from_id: 1, to_id: 2, day: '2018-01-01' },
      { id: 3, animal_id: 4, from_id: null, to_id: 1, day: '2020-03-01' },
    ],
  },
  {
    table: 'census',
    parameters: '',
    rows: [
      { site: 'N', yr: 2020, num: 5 },
      { site: 'N', yr: 2021, num: 6 },
      { site: 'S', yr: 2020, num: 1 },
    ],
  },
  {
    table: 'census_note',
    parameters: '',
    rows: [
      { id: 1, site: 'N', yr: 2020, note: 'ok' },
      { id: 2, site: 'N', yr: 2021, note: 'late' },
      { id: 3, site: 'S', yr: null, note: '?' },
    ],
  },
];

function animal(
  id: number,
  name: string | null,
  species_id: number | null,
  enclosure_id: number | null,
  mother_id: number | null,
  weight: number | null,
  born: string | null,
) {
  return { id, name, species_id, enclosure_id, mother_id, weight, born };
}
