/** A table like the largest one of the Portal data: 118,770 short rows, a key of five columns, two foreign keys. */
export const ROWS = 118_770;
export const PARENTS = 32_592;

const SEASONS = ['summer', 'winter'];

interface Census {
  readonly year: number;
  readonly season: string;
  readonly plot: number;
  readonly quadrat: number;
}

/** The census a row belongs to: years of two seasons with 24 plots of 16 quadrats. */
function census(index: number): Census {
  return {
    quadrat: (index % 16) + 1,
    plot: (Math.floor(index / 16) % 24) + 1,
    season: SEASONS[Math.floor(index / 384) % 2] ?? '',
    year: 1978 + Math.floor(index / 768),
  };
}

/** Rows of the parent table as CSV, header first. */
export function censusCsv(): string {
  const lines = Array.from({ length: PARENTS }, (_, index) => {
    const { year, season, plot, quadrat } = census(index);
    return `${year},${season},${plot},${quadrat},1`;
  });
  return `year,season,plot,quadrat,censused\n${lines.join('\n')}\n`;
}

/** Rows of the table as CSV, header first; the same at every run. */
export function quadratCsv(): string {
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const { year, season, plot, quadrat } = census(index % PARENTS);
    const notes = index % 11 === 0 ? 'cf. last year, partly grazed' : '';
    return `${year},${season},${plot},${quadrat},sp${Math.floor(index / PARENTS)},${(index % 97) + 1},${index % 5 === 0 ? '' : index % 40},${notes === '' ? '' : `"${notes}"`}`;
  });
  return `year,season,plot,quadrat,species,abundance,cover,notes\n${lines.join('\n')}\n`;
}

const columns = (...definitions: readonly (readonly [string, string, boolean])[]) =>
  definitions.map(([name, type, nullok]) => ({ name, type, nullok }));

/** The model: `quadrats` for the service, `quadrats_floor` just the same for the floor. */
export function quadratModel(): unknown {
  const child = (table_name: string) => ({
    table_name,
    column_definitions: columns(
      ['year', 'int4', false],
      ['season', 'text', false],
      ['plot', 'int4', false],
      ['quadrat', 'int4', false],
      ['species', 'text', false],
      ['abundance', 'int4', true],
      ['cover', 'int4', true],
      ['notes', 'text', true],
    ),
    keys: [{ unique_columns: ['year', 'season', 'plot', 'quadrat', 'species'] }],
    foreign_keys: [
      reference(table_name, ['year', 'season', 'plot', 'quadrat'], 'censuses'),
      reference(table_name, ['species'], 'species', ['code']),
    ],
  });
  return {
    schemas: {
      plants: {
        tables: {
          censuses: {
            table_name: 'censuses',
            column_definitions: columns(
              ['year', 'int4', false],
              ['season', 'text', false],
              ['plot', 'int4', false],
              ['quadrat', 'int4', false],
              ['censused', 'int4', true],
            ),
            keys: [{ unique_columns: ['year', 'season', 'plot', 'quadrat'] }],
          },
          species: {
            table_name: 'species',
            column_definitions: columns(['code', 'text', false]),
            keys: [{ unique_columns: ['code'] }],
          },
          quadrats: child('quadrats'),
          quadrats_floor: child('quadrats_floor'),
        },
      },
    },
  };
}

function reference(table: string, from: readonly string[], to: string, referenced: readonly string[] = from): unknown {
  return {
    foreign_key_columns: from.map((column_name) => ({ schema_name: 'plants', table_name: table, column_name })),
    referenced_columns: referenced.map((column_name) => ({ schema_name: 'plants', table_name: to, column_name })),
  };
}
