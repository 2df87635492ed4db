import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { BlobKey } from '../naming/blob-key.js';
import { encryptionSettings, type S3Options, uploadSettings } from './s3-client.js';

/** A part as its upload is completed with it. */
export interface TaggedPart {
  /** Counted from 1, as S3 does. */
  readonly number: number;
  readonly tag: string;
}

/** A body of known length. */
export interface SizedBody {
  readonly body: Buffer | Readable;
  readonly bytes: number;
}

/** The requests that the adapter makes, in its own words. */
export interface S3Bucket {
  putObject(key: BlobKey, body: SizedBody, signal: AbortSignal): Promise<void>;
  /**
   * @param filling how the parts will come; copies have no checksums, and an upload wants one for every part or for none
   * @returns id of the upload, to be given back as it is
   */
  begin(key: BlobKey, filling: 'sent' | 'copied', signal: AbortSignal): Promise<string>;
  putPart(key: BlobKey, uploadId: string, number: number, body: SizedBody, signal: AbortSignal): Promise<string>;
  copyPart(
    to: { readonly key: BlobKey; readonly uploadId: string; readonly number: number },
    from: BlobKey,
    range: { readonly first: number; readonly last: number } | null,
    signal: AbortSignal,
  ): Promise<string>;
  complete(key: BlobKey, uploadId: string, parts: readonly TaggedPart[], signal: AbortSignal): Promise<void>;
  abort(key: BlobKey, uploadId: string): Promise<void>;
  partsOf(key: BlobKey, uploadId: string, signal: AbortSignal): Promise<readonly TaggedPart[]>;
  /** Uploads that have begun at a key, or at any. */
  uploads(key: BlobKey | null): AsyncIterable<FoundUpload>;
  getObject(
    key: BlobKey,
    range: { readonly first: number; readonly last: number } | undefined,
    signal?: AbortSignal,
  ): Promise<Readable>;
  head(key: BlobKey): Promise<{ readonly bytes: number } | null>;
  remove(key: BlobKey): Promise<void>;
  objects(): AsyncIterable<{ readonly key: string; readonly modified: Date }>;
  check(signal: AbortSignal): Promise<void>;
}

export interface FoundUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly begun: Date;
}

/** Requests to one bucket. */
export function s3Bucket(client: S3Client, options: S3Options): S3Bucket {
  const { bucket: Bucket, keyPrefix } = options;
  const at = (key: BlobKey) => ({ Bucket, Key: keyPrefix + key });
  const checksum = uploadSettings(options);
  const encryption = encryptionSettings(options);
  const abort: S3Bucket['abort'] = async (key, uploadId) => {
    await client
      .send(new AbortMultipartUploadCommand({ ...at(key), UploadId: idOf(uploadId) }))
      .catch(unless(isNoSuchUpload, undefined));
  };
  return {
    putObject: async (key, { body, bytes }, abortSignal) => {
      const command = new PutObjectCommand({
        ...at(key),
        ...checksum,
        ...encryption,
        Body: body,
        ContentLength: bytes,
      });
      await client.send(command, { abortSignal });
    },
    begin: async (key, filling, abortSignal) => {
      const kind = filling === 'sent' ? checksum : {};
      const command = new CreateMultipartUploadCommand({ ...at(key), ...kind, ...encryption });
      const id = required((await client.send(command, { abortSignal })).UploadId, 'an upload id');
      return filling === 'sent' ? id : COPIED + id;
    },
    putPart: async (key, uploadId, PartNumber, { body, bytes }, abortSignal) => {
      const command = new UploadPartCommand({
        ...at(key),
        ...(uploadId.startsWith(COPIED) ? {} : checksum),
        UploadId: idOf(uploadId),
        PartNumber,
        Body: body,
        ContentLength: bytes,
      });
      return tagOf(await client.send(command, { abortSignal }));
    },
    copyPart: async ({ key, uploadId, number }, from, range, abortSignal) => {
      const command = new UploadPartCopyCommand({
        ...at(key),
        UploadId: idOf(uploadId),
        PartNumber: number,
        CopySource: `${Bucket}/${encodeURI(keyPrefix + from)}`,
        ...(range === null ? {} : { CopySourceRange: `bytes=${range.first}-${range.last}` }),
      });
      return tagOf((await client.send(command, { abortSignal })).CopyPartResult ?? {});
    },
    complete: async (key, uploadId, parts, abortSignal) => {
      const Parts = parts.map(({ number, tag }) => ({ PartNumber: number, ...partOf(tag) }));
      const command = new CompleteMultipartUploadCommand({
        ...at(key),
        UploadId: idOf(uploadId),
        MultipartUpload: { Parts },
      });
      await client.send(command, { abortSignal });
    },
    abort,
    partsOf: async (key, uploadId, abortSignal) => {
      const parts: TaggedPart[] = [];
      for (let PartNumberMarker: string | undefined; ; ) {
        const command = new ListPartsCommand({
          ...at(key),
          UploadId: idOf(uploadId),
          ...(PartNumberMarker === undefined ? {} : { PartNumberMarker }),
        });
        const page = await client.send(command, { abortSignal });
        for (const part of page.Parts ?? [])
          parts.push({ number: required(part.PartNumber, 'a part number'), tag: tagOf(part) });
        if (page.IsTruncated !== true) return parts;
        PartNumberMarker = page.NextPartNumberMarker;
      }
    },
    uploads: async function* (key) {
      for (let marker: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
        // some stores know no prefix here but a whole key
        const which = key === null ? {} : { Prefix: keyPrefix + key };
        const page = await client.send(new ListMultipartUploadsCommand({ Bucket, ...which, ...marker }));
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          const uploadId = required(UploadId, 'an upload id');
          if (Key?.startsWith(keyPrefix) === true)
            yield { key: Key.slice(keyPrefix.length), uploadId, begun: Initiated ?? new Date() };
        }
        if (page.IsTruncated !== true) return;
        marker = {
          KeyMarker: required(page.NextKeyMarker, 'a marker'),
          UploadIdMarker: required(page.NextUploadIdMarker, 'a marker'),
        };
      }
    },
    getObject: async (key, range, abortSignal) => {
      const part = range === undefined ? {} : { Range: `bytes=${range.first}-${range.last}` };
      const command = new GetObjectCommand({ ...at(key), ...part });
      const { Body } = await client.send(command, abortSignal === undefined ? {} : { abortSignal });
      // on Node the body is a stream of Node
      return required(Body, 'a body') as unknown as Readable;
    },
    head: async (key) =>
      client
        .send(new HeadObjectCommand(at(key)))
        .then(({ ContentLength }) => ({ bytes: ContentLength ?? 0 }))
        .catch(unless(isAbsent, null)),
    remove: async (key) => {
      await client.send(new DeleteObjectCommand(at(key))).catch(unless(isAbsent, undefined));
    },
    objects: async function* () {
      for (let ContinuationToken: string | undefined; ; ) {
        const more = ContinuationToken === undefined ? {} : { ContinuationToken };
        const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: keyPrefix, ...more }));
        for (const { Key, LastModified } of page.Contents ?? [])
          yield { key: required(Key, 'a key').slice(keyPrefix.length), modified: LastModified ?? new Date() };
        if (page.IsTruncated !== true) return;
        ContinuationToken = page.NextContinuationToken;
      }
    },
    check: async (abortSignal) => {
      await client.send(new HeadBucketCommand({ Bucket }), { abortSignal });
    },
  };
}

/** Put before the id of an upload that is filled by copies. */
const COPIED = 'copied ';

function idOf(uploadId: string): string {
  return uploadId.startsWith(COPIED) ? uploadId.slice(COPIED.length) : uploadId;
}

const CHECKSUMS = ['ChecksumCRC32', 'ChecksumCRC32C', 'ChecksumSHA1', 'ChecksumSHA256'] as const;

type Checksums = Partial<Record<(typeof CHECKSUMS)[number], string | undefined>>;

/** What an upload is completed with, as one text: the entity tag and, where one was sent, the checksum of the part. */
function tagOf(part: Checksums & { readonly ETag?: string | undefined }): string {
  const tag = required(part.ETag, 'a tag of the part');
  const name = CHECKSUMS.find((known) => part[known] !== undefined);
  return name === undefined ? tag : `${tag} ${name} ${part[name]}`;
}

function partOf(text: string): Checksums & { readonly ETag: string } {
  const [tag = '', name, checksum] = text.split(' ');
  const known = CHECKSUMS.find((one) => one === name);
  return known === undefined ? { ETag: tag } : { ETag: tag, [known]: checksum };
}

/** Whether the store says that there is no such object. */
export function isAbsent(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound';
}

/** Whether the store says that there is no such upload of parts. */
export function isNoSuchUpload(error: unknown): boolean {
  return nameOf(error) === 'NoSuchUpload';
}

/** Whether the store does not have the parts that an upload was to be completed with. */
export function isInvalidPart(error: unknown): boolean {
  return nameOf(error) === 'InvalidPart' || nameOf(error) === 'InvalidPartOrder';
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function unless<Value>(excused: (error: unknown) => boolean, value: Value): (error: unknown) => Value {
  return (error) => {
    if (excused(error)) return value;
    throw error;
  };
}

function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The S3 store answered without ${what}.`);
  return value;
}
