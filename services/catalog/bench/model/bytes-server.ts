/** The floor of the documents: an Express route with nothing in it but the answer. Gets the bytes from its parent, gives the port. */
import express from 'express';

let bytes = Buffer.alloc(0);
const app = express();
app.disable('etag');
app.disable('x-powered-by');
app.get('/', (request, response) => {
  response.setHeader('ETag', '"floor"');
  if (request.headers['if-none-match'] === '"floor"') {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(bytes);
});
process.on('message', (text: string) => {
  bytes = Buffer.from(text);
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : null);
});
