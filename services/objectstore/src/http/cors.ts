import type { Request, Response } from 'express';

const EXPOSED =
  'Location, ETag, Content-Location, Content-MD5, Content-SHA256, Content-Disposition, Content-Length, Content-Range, Accept-Ranges, X-Request-Id';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Content-MD5, Content-SHA256, Content-Disposition, If-Match, If-None-Match, Range, Deriva-Client-Context';

/** Headers for pages of other origins, if the deployment allows them; others get none (spec/objectstore.md 3.7). */
export function corsHeaders(request: Request, response: Response, allowedOrigins: readonly string[]): void {
  const origin = request.get('origin');
  if (origin === undefined || !allowedOrigins.includes(origin)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  if (request.method !== 'OPTIONS') return;
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, PUT, POST, DELETE');
  response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
  response.setHeader('Access-Control-Max-Age', '600');
}
