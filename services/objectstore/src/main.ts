import { runServiceProcess } from '@holdfast/http-kit';
import { objectStoreService } from './service.js';

await runServiceProcess(objectStoreService, process.env);
