/**
 * A service refused a request: status and what its error document says (spec/objectstore.md 3.6). Understands the JSON form and
 * the text form (`Title. Detail: sentence`).
 */
export class HttpError extends Error {
  readonly status: number;
  /** Stable code of the error; null when the answer was not the JSON document. */
  readonly code: string | null;
  readonly title: string | null;
  /** The sentence for the user; at most {@link MOST_DETAIL_BYTES} of a body in an unknown form. */
  readonly detail: string;
  /** Finds the request in the logs of the service. */
  readonly requestId: string | null;
  readonly method: string;
  /** Path of the request, without query. */
  readonly path: string;
  /** What `Retry-After` says, in seconds; null when it says nothing usable. */
  readonly retryAfter: number | null;

  constructor(facts: HttpErrorFacts) {
    const { status, title, detail } = facts.document;
    super(`${facts.method} ${facts.path}: ${status}${title === null ? '' : ` ${title}`} ${detail}`.trim());
    this.name = 'HttpError';
    this.status = status;
    this.code = facts.document.code;
    this.title = title;
    this.detail = detail;
    this.requestId = facts.requestId;
    this.method = facts.method;
    this.path = facts.path;
    this.retryAfter = facts.retryAfter;
  }
}

/** The request got no answer, or an answer that broke off: nothing is known about its effect. */
export class TransportError extends Error {
  readonly kind: 'connect' | 'timeout' | 'broken';

  constructor(kind: 'connect' | 'timeout' | 'broken', message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'TransportError';
    this.kind = kind;
  }
}

/** What an error body says. */
export interface ErrorFields {
  readonly status: number;
  readonly code: string | null;
  readonly title: string | null;
  readonly detail: string;
}

interface HttpErrorFacts {
  readonly method: string;
  readonly path: string;
  readonly document: ErrorFields;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
}

/** Bytes of an error body that are read. */
export const MOST_DETAIL_BYTES = 16 * 1024;

/**
 * Reads an error body, whatever its form.
 * @param text the body, possibly cut
 */
export function parseErrorBody(status: number, text: string): ErrorFields {
  return fromJson(status, text) ?? fromText(status, text);
}

function fromJson(status: number, text: string): ErrorFields | null {
  const document = safeJson(text);
  if (typeof document !== 'object' || document === null) return null;
  const member = (name: string): string | null => {
    const value: unknown = Reflect.get(document, name);
    return typeof value === 'string' ? value : null;
  };
  const detail = member('detail');
  return detail === null ? null : { status, code: member('code'), title: member('title'), detail };
}

function fromText(status: number, text: string): ErrorFields {
  const parts = /^(?<title>[^\n]*?) Detail: (?<detail>[\s\S]*)$/.exec(text.trim());
  const { title, detail } = parts?.groups ?? {};
  return { status, code: null, title: title ?? null, detail: detail ?? text.trim() };
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
