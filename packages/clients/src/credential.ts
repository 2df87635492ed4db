/** How a client says who it is. A function is asked anew for each request, for tokens that live for minutes. */
export type Credential = StaticCredential | (() => StaticCredential | Promise<StaticCredential>);

/** `bearer`: the token alone. `cookie`: the whole header text, for example `session=…`. */
export type StaticCredential = { readonly bearer: string } | { readonly cookie: string };

/** The header lines of a credential; none for an anonymous client. */
export async function credentialHeaders(credential: Credential | null): Promise<Readonly<Record<string, string>>> {
  if (credential === null) return {};
  const current = typeof credential === 'function' ? await credential() : credential;
  return 'bearer' in current ? { authorization: `Bearer ${current.bearer}` } : { cookie: current.cookie };
}
