import { runServiceProcess } from '@holdfast/http-kit';
import { startCatalog } from './app.js';
import { catalogVariables } from './variables.js';

await runServiceProcess({ name: 'catalog', variables: catalogVariables, start: startCatalog }, process.env);
