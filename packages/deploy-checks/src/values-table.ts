import type { JsonSchema } from './value-shapes.js';

/**
 * Table of all values in Markdown, out of the schema of a chart and its initial values.
 * @param path put before every name
 */
export function valuesTable(schema: JsonSchema, initial: unknown, path = ''): string {
  const rows = rowsOf(schema, initial, path === '' ? [] : [path]);
  return ['| Value | Initially | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function rowsOf(schema: unknown, initial: unknown, path: readonly string[]): readonly string[] {
  return Object.entries(objectAt(schema, 'properties')).flatMap(([name, child]) => {
    const inside = [...path, name];
    const value = objectOrEmpty(initial)[name];
    const description = String(objectOrEmpty(child).description ?? '');
    const children = objectOrEmpty(child).$ref === undefined ? rowsOf(child, value, inside) : [];
    if (children.length > 0 && name !== 'rootAcls')
      return [...(description === '' ? [] : [row(inside, '', description)]), ...children];
    return description === '' ? [] : [row(inside, initialText(value), description + choices(child))];
  });
}

function row(path: readonly string[], initial: string, meaning: string): string {
  return `| \`${path.join('.')}\` | ${initial} | ${meaning.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`;
}

function initialText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '[]' || text === '{}' ? '' : `\`${text.replaceAll('|', '\\|')}\``;
}

function choices(schema: unknown): string {
  const words = objectOrEmpty(schema).enum;
  if (!Array.isArray(words)) return '';
  return ` One of ${words.map((word) => `\`${String(word)}\``).join(', ')}.`;
}

function objectAt(value: unknown, name: string): Readonly<Record<string, unknown>> {
  return objectOrEmpty(objectOrEmpty(value)[name]);
}

function objectOrEmpty(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
