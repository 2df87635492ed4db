type Cell = string | number | boolean | null | undefined | object;

/** Rows as a table for a terminal: one line of names, one rule, one line for each row. Numbers are aligned to the right. */
export function textTable(rows: readonly Readonly<Record<string, Cell>>[], indent = '    '): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return `${indent}(no rows)\n`;
  const columns = names.map((name) => {
    const cells = rows.map((row) => cellText(row[name]));
    const width = Math.max(name.length, ...cells.map((cell) => cell.length));
    const numeric = rows.some((row) => typeof row[name] === 'number');
    const pad = (text: string): string => (numeric ? text.padStart(width) : text.padEnd(width));
    return { head: pad(name), rule: '-'.repeat(width), cells: cells.map(pad) };
  });
  const line = (texts: readonly string[]): string => `${indent}${texts.join('  ')}`.trimEnd();
  return [
    line(columns.map(({ head }) => head)),
    line(columns.map(({ rule }) => rule)),
    ...rows.map((_, index) => line(columns.map(({ cells }) => cells[index] ?? ''))),
    '',
  ].join('\n');
}

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return cell.toLocaleString('en');
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}
