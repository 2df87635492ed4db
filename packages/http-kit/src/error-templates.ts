import { z } from 'zod';
import type { ErrorDocument } from './error-document.js';
import { escapeHtml } from './html.js';

/** Media types an error can be written in. */
export const ERROR_TYPES = ['application/json', 'application/problem+json', 'text/plain', 'text/html'] as const;

export type ErrorType = (typeof ERROR_TYPES)[number];

/** Texts of a deployment that stand for those of the service (spec/objectstore.md 1, `errors.templates`), by status and media type. */
export type ErrorTemplates = Readonly<Record<string, Readonly<Partial<Record<ErrorType, string>>>>>;

/** The schema of {@link ErrorTemplates} in a configuration. */
export const errorTemplates = z.record(
  z.string().regex(/^[45]\d\d$/, 'must be the status of an error'),
  z.partialRecord(z.enum(ERROR_TYPES), z.string()),
);

/**
 * Fills a template: `{status}`, `{title}`, `{detail}`, `{code}` and `{request_id}` become what they are in this error, escaped as the
 * media type asks; anything else stays.
 */
export function fillTemplate(template: string, type: ErrorType, document: ErrorDocument): string {
  const values: Readonly<Record<string, string | number>> = { ...document };
  return template.replace(/\{(status|title|detail|code|request_id)\}/g, (_, name: string) =>
    escaped(String(values[name]), type),
  );
}

function escaped(text: string, type: ErrorType): string {
  switch (type) {
    case 'text/html':
      return escapeHtml(text);
    case 'application/json':
    case 'application/problem+json':
      // to stand between quotes
      return JSON.stringify(text).slice(1, -1);
    case 'text/plain':
      return text;
  }
}
