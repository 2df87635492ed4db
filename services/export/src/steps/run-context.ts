import type { ExportLog } from '../job/export-log.js';
import type { ProgressMeter } from '../job/progress-meter.js';
import type { AssetSource } from './asset-source.js';
import type { CatalogSource } from './catalog-source.js';
import type { ExternalProcessor } from './external-processor.js';
import type { Provenance } from './provenance.js';
import type { Variables } from './variables.js';

/** What the queries of one run work with. */
export interface RunContext {
  readonly catalog: CatalogSource;
  readonly assets: AssetSource;
  readonly variables: Variables;
  readonly provenance: Provenance;
  /** URL of what was downloaded to each path, by all queries of the run. */
  readonly downloaded: Map<string, string>;
  /** By `processor_type`. */
  readonly processors: ReadonlyMap<string, ExternalProcessor>;
  /** What becomes of the outputs: an archive takes them one at a time. */
  readonly target: 'archive' | 'files';
  readonly emptyResults: 'keep' | 'omit';
  readonly log: ExportLog;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal;
}
