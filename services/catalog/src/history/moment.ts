/** When tables are looked at. The rules that hold are those of the model that goes with it. */
export type Moment = { readonly kind: 'live' };

/** The present, the only moment at which anything can be changed. */
export const LIVE: Moment = { kind: 'live' };
