export type * from './ast.js';
export { encodeName, encodeValue } from './encode.js';
export { type DataMethod, type DataOptions, interpretQuery } from './interpret-query.js';
export { parseQuery, queryValues } from './parse-query.js';
export { type DataUrl, parseDataUrl, parseResource, resourceWord } from './parse-resource.js';
export { printName, printQuery, printRequest, printResource } from './print-resource.js';
export {
  lexSegments,
  parseNameList,
  parseQualifiedName,
  parseSingleName,
  parseValueList,
  type Segment,
  segmentText,
} from './segments.js';
export { type CatalogTarget, splitCatalogTarget, splitQuery } from './split-target.js';
export { stripOffsets } from './strip-offsets.js';
export { PathSyntaxError, UnknownResourceError } from './syntax-error.js';
