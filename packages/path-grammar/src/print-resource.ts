import type {
  AggregateItem,
  Condition,
  DataRequest,
  DataResource,
  GroupItem,
  Name,
  Operand,
  PageKey,
  PageValue,
  Path,
  PathElement,
  QueryParams,
  Sort,
  Word,
} from './ast.js';
import { encodeName, encodeValue } from './encode.js';

/** The canonical URL text of a resource with its parameters: what `parseResource` reads back to the same tree. */
export function printRequest(request: DataRequest): string {
  const path = printResource(request.resource);
  return request.query.length === 0 ? path : `${path}?${printQuery(request.query)}`;
}

/**
 * The canonical, percent-encoded URL text of a resource, from its resource word on: no needless parentheses or escapes.
 * Throws RangeError when a text of the tree cannot stand in a URL (see `encodeName`).
 */
export function printResource(resource: DataResource): string {
  switch (resource.kind) {
    case 'entity':
      return `entity/${printPath(resource.path)}${printSort(resource.sort)}`;
    case 'attribute':
      return `attribute/${printPath(resource.path)}/${printItems(resource.projection)}${printSort(resource.sort)}`;
    case 'attributegroup': {
      const projection = resource.projection.length === 0 ? '' : `;${printItems(resource.projection)}`;
      return `attributegroup/${printPath(resource.path)}/${printItems(resource.keys)}${projection}${printSort(resource.sort)}`;
    }
    case 'aggregate':
      return `aggregate/${printPath(resource.path)}/${printItems(resource.projection)}`;
    case 'entity_rid':
      return `entity_rid/${encodeName(resource.rid.text)}`;
  }
}

/** The query string without its question mark; blanks are written %20. */
export function printQuery(query: QueryParams): string {
  return query
    .map(({ name, values }) => {
      const list = values.map((value) => encodeName(value.text)).join(',');
      return list === '' ? encodeName(name.text) : `${encodeName(name.text)}=${list}`;
    })
    .join('&');
}

/** `A:c`, percent-encoded. */
export function printName(name: Name): string {
  const text = name.parts.map(encodeName).join(':');
  // URL libraries resolve segments of dots, encoded or not; the meaningless leading colon protects such a name
  return text === '.' || text === '..' ? `:${text}` : text;
}

function printPath(path: Path): string {
  const root = `${printLabel(path.root.alias)}${printName(path.root.name)}`;
  return [root, ...path.elements.map(printElement)].join('/');
}

function printElement(element: PathElement): string {
  switch (element.kind) {
    case 'table-link':
      return `${printLabel(element.alias)}${printName(element.table)}`;
    case 'endpoint-link':
      return `${printLabel(element.alias)}${printJoin(element.join)}${printNameList(element.columns)}`;
    case 'mapping-link':
      return `${printLabel(element.alias)}${printJoin(element.join)}${printNameList(element.left)}=${printNameList(element.right)}`;
    case 'filter':
      return printCondition(element.condition);
    case 'reset':
      return `$${encodeName(element.alias.text)}`;
  }
}

function printLabel(label: Word | null): string {
  return label === null ? '' : `${encodeName(label.text)}:=`;
}

function printJoin(join: 'inner' | 'left' | 'right' | 'full'): string {
  return join === 'inner' ? '' : join;
}

function printNameList(names: readonly Name[]): string {
  return `(${names.map(printName).join(',')})`;
}

function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'or':
      return condition.operands.map((operand) => printOperandOf('or', operand)).join(';');
    case 'and':
      return condition.operands.map((operand) => printOperandOf('and', operand)).join('&');
    case 'not':
      return `!${printOperandOf('not', condition.operand)}`;
    case 'null-test':
      return `${printName(condition.column)}::null::`;
    case 'comparison': {
      const operator = condition.operator === '=' ? '=' : `::${condition.operator}::`;
      return `${printName(condition.column)}${operator}${printOperand(condition.operand)}`;
    }
  }
}

/** How tightly each form binds; an operand needs parentheses unless it binds tighter than what it stands in. */
const BINDING: Readonly<Record<Condition['kind'], number>> = { or: 0, and: 1, not: 2, 'null-test': 3, comparison: 3 };

function printOperandOf(outer: 'or' | 'and' | 'not', operand: Condition): string {
  const text = printCondition(operand);
  return BINDING[operand.kind] > BINDING[outer] ? text : `(${text})`;
}

function printOperand(operand: Operand): string {
  if (operand.kind === 'literal') return encodeValue(operand.text);
  return `${operand.quantifier}(${operand.values.map((value) => encodeValue(value.text)).join(',')})`;
}

function printItems(items: readonly (GroupItem | AggregateItem)[]): string {
  return items.map(printItem).join(',');
}

function printItem(item: GroupItem | AggregateItem): string {
  const label = printLabel(item.output);
  const column = printName(item.column);
  switch (item.kind) {
    case 'column':
      return `${label}${column}`;
    case 'bin': {
      const values = [item.count, item.low, item.high].map((value) => encodeValue(value.text));
      return `${label}bin(${[column, ...values].join(';')})`;
    }
    case 'rights':
    case 'function':
      return `${label}${item.function}(${column})`;
  }
}

function printSort(sort: Sort | null): string {
  if (sort === null) return '';
  const keys = sort.keys.map((key) => `${encodeName(key.output.text)}${key.descending ? '::desc::' : ''}`);
  return `@sort(${keys.join(',')})${printPage('after', sort.after)}${printPage('before', sort.before)}`;
}

function printPage(word: 'after' | 'before', page: PageKey | null): string {
  return page === null ? '' : `@${word}(${page.values.map(printPageValue).join(',')})`;
}

function printPageValue(value: PageValue): string {
  return value.kind === 'null' ? '::null::' : encodeValue(value.text);
}
