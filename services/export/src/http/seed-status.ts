/** The statuses of the seed for those of this service that it does not list (spec/export.md 11). */
export function seedStatus(status: number): number {
  if (status === 502 || status === 503 || status === 504) return 500;
  return status === 409 || status === 413 || status === 429 ? 400 : status;
}
