import type { BlobStore } from './blobs/blob-store.js';
import { openFilesystemStore } from './blobs/filesystem-store.js';
import { openS3Store } from './blobs/s3-store.js';
import type { ObjectStoreConfig } from './configuration.js';
import { s3OptionsOf } from './s3-configuration.js';

/**
 * The store of the bytes that a deployment has configured.
 * @throws when it cannot be used
 */
export async function openStore(config: ObjectStoreConfig): Promise<BlobStore> {
  switch (config.STORAGE_ADAPTER) {
    case 'filesystem':
      if (config.STORAGE_ROOT === undefined) throw new Error('STORAGE_ROOT must name the directory of the blobs.');
      return openFilesystemStore(config.STORAGE_ROOT);
    case 's3':
      return openS3Store(s3OptionsOf(config, config.SPOOL_DIRECTORY));
  }
}
