/** The error document (spec/objectstore.md 3.6). */
export interface ErrorDocument {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
}
