export { ALGORITHMS, type Algorithm, type Hashes, hexDigits, normalizeAlgorithm } from './algorithms.js';
export {
  type BagInfoEntry,
  humanSize,
  infoValues,
  type PayloadOxum,
  parseBagInfo,
  parseOxum,
  printBagInfo,
  printOxum,
} from './bag-info.js';
export { BagOpenError } from './bag-source.js';
export { type BagWriter, createBagWriter } from './bag-writer.js';
export { type BagDeclaration, parseDeclaration, printDeclaration } from './bagit-txt.js';
export { type CompletedBag, type CompleteOptions, completeBag } from './complete-bag.js';
export { type CreateOptions, writeBagArchive, writeBagDirectory } from './create-bag.js';
export { BagWriteError, type BagWriteErrorCode, UnsafePathError, type UnsafePathReason } from './errors.js';
export { type FetchEntry, parseFetch, printFetchLine } from './fetch-txt.js';
export { type HttpFetchOptions, httpFetch } from './http-fetch.js';
export { type ManifestEntry, parseManifest, parseManifestName, printManifestLine } from './manifest.js';
export { checkBagName, checkOutputPath, checkVerbatimPath, PayloadPaths } from './output-path.js';
export { comparePaths, decodePath, encodePath } from './path-encoding.js';
export { type BagReport, describeFinding, type Finding, type FindingCode } from './report.js';
export { type ScratchBudget, scratchBudget } from './scratch.js';
export { decodeTagFile, type FormatProblem, type Parsed } from './tag-text.js';
export { type FetchContent, type ValidateOptions, validateBag } from './validate-bag.js';
export { BAG_VERSIONS, type BagVersion, rulesOf, type VersionRules, type WritableVersion } from './version.js';
export {
  ARCHIVERS,
  type Archiver,
  type BagFinish,
  type BagReference,
  type BagSummary,
  type BagTarget,
  type BagWriterOptions,
  type KnownFile,
  type WrittenFile,
} from './writer-options.js';
