/** A data set that the demo can load, as data: which file fills which table, which files are objects, what is asked of it. */
export interface Survey {
  /** Part of URLs and of the name of the bag. */
  readonly name: string;
  readonly title: string;
  /** Schema of the catalog that holds its tables. */
  readonly schema: string;
  /** In an order in which every reference points to a table before. */
  readonly tables: readonly SurveyTable[];
  readonly files: SurveyFiles;
  readonly question: Question;
}

/** A table and the CSV file that fills it. */
export interface SurveyTable {
  readonly name: string;
  readonly comment: string;
  readonly csv: string;
  /** Type by column, in the order of the file. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns with empty cells. */
  readonly optional: readonly string[];
  /** Null: nothing but the RID tells rows apart. */
  readonly key: readonly string[] | null;
  readonly references: readonly Reference[];
  /** The file breaks its own key: the catalog must refuse it, and takes it with `onconflict=skip`. */
  readonly repeatsKeys?: true;
}

/** A foreign key. */
export interface Reference {
  readonly columns: readonly string[];
  readonly table: string;
  /** Columns of that table, in the order of `columns`. */
  readonly key: readonly string[];
}

/** Files that become objects, and the table that keeps account of them. */
export interface SurveyFiles {
  readonly table: string;
  readonly comment: string;
  /** Whether a file of the directory is one of them. */
  readonly includes: (fileName: string) => boolean;
  /** Columns beside those of every file table, filled by `describe`. */
  readonly columns: Readonly<Record<string, string>>;
  readonly references: readonly Reference[];
  readonly describe: (fileName: string) => Readonly<Record<string, string>>;
}

/** A question in words, and the path of the data URL that asks it. */
export interface Question {
  readonly words: string;
  readonly path: string;
}

/** What is recorded of every file, whatever the survey: the names that the export service understands in `fetch` queries. */
export const fileColumns: Readonly<Record<string, string>> = {
  filename: 'text',
  url: 'text',
  length: 'int8',
  md5: 'text',
  sha256: 'text',
  media_type: 'text',
};
