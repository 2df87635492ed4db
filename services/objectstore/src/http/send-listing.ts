import { negotiate, type Spool, spool } from '@holdfast/http-kit';
import type { Connection } from '@holdfast/pg-kit';
import { listTagger } from '../directory/list-tag.js';
import { sendStream } from '../transfer/send-content.js';
import type { Exchange } from './exchange.js';
import { LISTING_TYPES, listingForm, listingText } from './listing-form.js';
import { answeredByPreconditions, refuseRange } from './read-answer.js';

/** A list of paths. */
export interface Listing {
  readonly title: string;
  /** Reads the list; the tag is made of these texts. */
  pages(): AsyncIterable<readonly string[]>;
  /** One of them as clients see it. */
  shown(item: string): string;
}

/** Bytes of a list that are held in memory; the rest of a longer one waits in a file. */
const MEMORY_BYTES = 256 * 1024;

/**
 * Answers with a list. It is read once, in one snapshot, for tag, length and text, and sent after the connection has been given back:
 * a slow client holds none (spec/objectstore.md 5.1, 14).
 * @param work finds the resource and authorizes
 */
export async function sendListing(
  exchange: Exchange,
  work: (connection: Connection) => Promise<Listing>,
): Promise<void> {
  const { signal, parts, method, response } = exchange;
  const held = await parts.database.transaction(
    { isolation: 'repeatable read', readOnly: true, signal },
    async (connection) => hold(exchange, await work(connection)),
  );
  try {
    if (answeredByPreconditions(exchange, held.tag, 'negotiated')) return;
    refuseRange(exchange);
    response.writeHead(200, { 'Content-Type': held.type, 'Content-Length': held.text.bytes });
    if (method === 'HEAD') response.end();
    else await sendStream(held.text.read(), response, held.text.bytes, signal);
  } finally {
    await held.text.discard();
  }
}

async function hold(
  { request, parts }: Exchange,
  listing: Listing,
): Promise<{ readonly type: string; readonly tag: string; readonly text: Spool }> {
  const form = listingForm(negotiate(request.get('accept'), LISTING_TYPES) ?? LISTING_TYPES[0], listing.title);
  const tagger = listTagger();
  const text = await spool(bytesOf(listingText(form, shownPages(tagger.through(listing.pages()), listing))), {
    memoryBytes: MEMORY_BYTES,
    directory: parts.settings.spoolDirectory,
  });
  return { type: form.type, tag: tagger.tag(), text };
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
