import { runServiceProcess } from '@holdfast/http-kit';
import { apiVariables, startApi } from './api-service.js';

await runServiceProcess({ name: 'export', variables: apiVariables, start: startApi }, process.env);
