/**
 * The floor of the data benchmarks, a process of its own: Express routes with nothing in them but the statement. Started by
 * `data.ts`, with the URL of the catalog's database in DATABASE_URL.
 */
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8, options: '-c timezone=UTC -c jit=off' });
pool.on('error', () => undefined);
const app = express();
app.disable('etag');

/** Streams a COPY as it comes. */
app.get('/copy', async (request, response) => {
  const client = await pool.connect();
  try {
    await pipeline(client.query(copyTo(String(request.query.statement))), response);
  } finally {
    client.release();
  }
});

/** Streams the rows of a cursor-like COPY of JSON texts as one array. */
app.get('/copy-array', async (request, response) => {
  const client = await pool.connect();
  let first = true;
  const frame = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = chunk.toString('latin1').replaceAll('\n', ',\n');
      done(null, Buffer.from(first ? `[${text}` : text, 'latin1'));
      first = false;
    },
  });
  try {
    await pipeline(client.query(copyTo(String(request.query.statement))), frame, response);
  } finally {
    client.release();
  }
});

/** Answers the rows of a small query. */
app.get('/rows', async (request, response) => {
  const { rows } = await pool.query(String(request.query.statement), [request.query.value]);
  response.json(rows);
});

/** Inserts one row in a transaction. */
app.post('/insert', express.json(), async (request, response) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(String(request.query.statement), [JSON.stringify(request.body)]);
    await client.query('commit');
    response.json(rows);
  } finally {
    client.release();
  }
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : null });
});
process.on('disconnect', () => process.exit(0));
