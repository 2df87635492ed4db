import { fileURLToPath } from 'node:url';

/** The directory of the workspace. */
export const root = fileURLToPath(new URL('..', import.meta.url));
