import { negotiate, sendBody } from '@holdfast/http-kit';
import type { Connection } from '@holdfast/pg-kit';
import { listTagger } from '../directory/list-tag.js';
import { sendStream } from '../transfer/send-content.js';
import type { Exchange } from './exchange.js';
import { LISTING_TYPES, listingForm, listingText } from './listing-form.js';
import { answeredByPreconditions, refuseRange } from './read-answer.js';

/** A list of paths. */
export interface Listing {
  readonly title: string;
  /** Reads the list from the start; the tag is made of these texts. */
  pages(): AsyncIterable<readonly string[]>;
  /** One of them as clients see it. */
  shown(item: string): string;
}

/** Longest list that is held in memory; longer ones are read a second time while they are sent. */
const MOST_HELD_BYTES = 256 * 1024;

/**
 * Answers with a list. It is read once for tag, length and, if it is short, text; a long one is read again in the same snapshot
 * while it is sent (spec/objectstore.md 5.1). A short one is sent after the connection has been given back.
 * @param work opens the snapshot, finds the resource and authorizes
 */
export async function sendListing(
  exchange: Exchange,
  work: (connection: Connection) => Promise<Listing>,
): Promise<void> {
  const { signal, parts, request, response } = exchange;
  const held = await parts.database.transaction(
    { isolation: 'repeatable read', readOnly: true, signal },
    async (connection) => sendOrHold(exchange, await work(connection)),
  );
  if (held !== null) sendBody(request, response, 200, held.type, held.body);
}

async function sendOrHold(
  exchange: Exchange,
  listing: Listing,
): Promise<{ readonly type: string; readonly body: string } | null> {
  const { request, response, method, signal } = exchange;
  const form = listingForm(negotiate(request.get('accept'), LISTING_TYPES) ?? LISTING_TYPES[0], listing.title);
  const tagger = listTagger();
  let length = 0;
  let body = '';
  for await (const piece of listingText(form, shownPages(tagger.through(listing.pages()), listing))) {
    length += Buffer.byteLength(piece);
    if (length <= MOST_HELD_BYTES) body += piece;
  }
  if (answeredByPreconditions(exchange, tagger.tag(), 'negotiated')) return null;
  refuseRange(exchange);
  if (length <= MOST_HELD_BYTES) return { type: form.type, body };
  response.writeHead(200, { 'Content-Type': form.type, 'Content-Length': length });
  if (method === 'HEAD') response.end();
  else await sendStream(bytesOf(listingText(form, shownPages(listing.pages(), listing))), response, signal);
  return null;
}

async function* shownPages(
  pages: AsyncIterable<readonly string[]>,
  listing: Listing,
): AsyncGenerator<readonly string[]> {
  for await (const page of pages) yield page.map((item) => listing.shown(item));
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) yield Buffer.from(text);
}
