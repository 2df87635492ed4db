import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

/** Where the queue is: BullMQ over PostgreSQL (embedded stack), or over Redis or Valkey. */
export type QueueAddress =
  | { readonly kind: 'postgres'; readonly url: string }
  | {
      readonly kind: 'redis';
      readonly url: string;
      readonly sentinels: Sentinels | null;
      /** PEM text of the authorities that signed the server's certificate; null: the system's. */
      readonly authorities: string | null;
    };

/** Who says which of several servers is the one to write to. */
export interface Sentinels {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** Of the group of servers. */
  readonly name: string;
  readonly password: string | undefined;
}

/** The variables of the queue, parsed. */
export interface QueueConfig {
  readonly QUEUE_URL: string;
  readonly QUEUE_SENTINELS: readonly string[];
  readonly QUEUE_SENTINEL_NAME: string;
  readonly QUEUE_SENTINEL_PASSWORD?: string | undefined;
  readonly QUEUE_CA_FILE?: string | undefined;
}

/** What `QUEUE_URL` may be: `postgres://…`, `redis://…` or `rediss://…`. */
export const QUEUE_URL = /^(?:postgres(?:ql)?|rediss?):\/\//;

/** `host:port` of a sentinel; the port is 26379 when it is missing. */
export const SENTINEL = /^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;

/**
 * Puts the variables of the queue together.
 * @throws when the file of the authorities cannot be read
 */
export function queueAddressOf(config: QueueConfig): QueueAddress {
  const { QUEUE_URL: url, QUEUE_SENTINELS: hosts } = config;
  if (url.startsWith('postgres')) return { kind: 'postgres', url };
  return {
    kind: 'redis',
    url,
    sentinels:
      hosts.length === 0
        ? null
        : { hosts: hosts.map(hostOf), name: config.QUEUE_SENTINEL_NAME, password: config.QUEUE_SENTINEL_PASSWORD },
    authorities: config.QUEUE_CA_FILE === undefined ? null : readFileSync(config.QUEUE_CA_FILE, 'utf8'),
  };
}

function hostOf(text: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = '26379'] = SENTINEL.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Options of ioredis for a server, or for the one that the sentinels name. TLS, user, password and database are those of the URL. */
export function redisOptions(address: Extract<QueueAddress, { kind: 'redis' }>): RedisOptions {
  const { url, sentinels, authorities } = address;
  const tls = url.startsWith('rediss:') ? { tls: authorities === null ? {} : { ca: authorities } } : {};
  if (sentinels === null) return { url, ...tls };
  const { username, password, pathname } = new URL(url);
  return {
    sentinels: [...sentinels.hosts],
    name: sentinels.name,
    ...(sentinels.password === undefined ? {} : { sentinelPassword: sentinels.password }),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    // the sentinels of a group with TLS speak it, too
    ...('tls' in tls ? { ...tls, sentinelTLS: tls.tls, enableTLSForSentinelMode: true } : {}),
  };
}

/** The part of ioredis's options that is used. */
export interface RedisOptions {
  readonly url?: string;
  readonly sentinels?: { readonly host: string; readonly port: number }[];
  readonly name?: string;
  readonly sentinelPassword?: string;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  readonly tls?: ConnectionOptions;
  readonly sentinelTLS?: ConnectionOptions;
  readonly enableTLSForSentinelMode?: boolean;
}
