import { runServiceProcess } from '@holdfast/http-kit';
import { exportVariables } from './settings.js';
import { startWorker } from './worker-service.js';

await runServiceProcess({ name: 'export-worker', variables: exportVariables, start: startWorker }, process.env);
