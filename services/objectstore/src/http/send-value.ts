import { sendBody } from '@holdfast/http-kit';
import type { Exchange } from './exchange.js';

/** Sends a metadata value or a role as bare text; some clients want a newline after it. */
export function sendValue({ request, response, parts }: Exchange, text: string): void {
  sendBody(request, response, 200, 'text/plain', parts.profile.valueNewline ? `${text}\n` : text);
}
