import type { Survey } from './survey.js';

/**
 * The request for a bag of a whole survey (spec/export.md 2): every table as CSV, the answer to its question as JSON, its files by
 * reference.
 * @param origin of the catalog, as the export service knows it
 */
export function bagRequest(survey: Survey, origin: string, catalogId: string): object {
  const { schema, files, question } = survey;
  const query = (processor: string, path: string, output: string): object => ({
    processor,
    processor_params: { query_path: path, output_path: output },
  });
  return {
    bag: {
      bag_name: survey.name,
      bag_archiver: 'zip',
      bag_metadata: { 'External-Description': survey.title, 'Contact-Name': 'Holdfast demo' },
    },
    catalog: {
      host: origin,
      catalog_id: catalogId,
      query_processors: [
        ...survey.tables.map(({ name }) => query('csv', `/entity/${schema}:${name}`, `tables/${name}`)),
        query('json', question.path, 'answer'),
        query('fetch', `/entity/${schema}:${files.table}`, 'files'),
      ],
    },
  };
}
