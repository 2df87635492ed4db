import type pg from 'pg';
import { compile, type Sql } from './sql.js';

/** One connection while a piece of work holds it. */
export interface Connection {
  /** The driver's client, for COPY streams and cursors. */
  readonly client: pg.ClientBase;
  /** Runs a statement and gives its rows. The row type is the caller's knowledge of its own SQL. */
  query<Row extends object = Record<string, unknown>>(statement: Sql, options?: QueryOptions): Promise<readonly Row[]>;
  /** Runs a statement and gives the number of rows it touched. */
  execute(statement: Sql): Promise<number>;
}

/** How a statement is sent. */
export interface QueryOptions {
  /** Name of a prepared statement: for hot statements whose text is the same each time. */
  readonly prepared?: string;
}

/** Wraps a driver client. */
export function connectionOf(client: pg.ClientBase): Connection {
  return {
    client,
    query: async <Row extends object>(statement: Sql, options: QueryOptions = {}) => {
      const { text, values } = compile(statement);
      const result = await client.query<Row>({
        text,
        values,
        ...(options.prepared === undefined ? {} : { name: options.prepared }),
      });
      return result.rows;
    },
    execute: async (statement) => {
      const { text, values } = compile(statement);
      const result = await client.query(values.length === 0 ? { text } : { text, values });
      return result.rowCount ?? 0;
    },
  };
}
