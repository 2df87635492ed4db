/** A development token and whom it stands for. */
export type DevToken = {
  readonly token: string;
  readonly client: { readonly id: string; readonly display_name: string };
  readonly attributes: readonly { readonly id: string; readonly display_name: string }[];
};

/** The tokens by the id of their owner. */
export const tokens = {
  alice: 'alice-token',
  bob: 'bob-token',
  carol: 'carol-token',
  admin: 'admin-token',
} as const;

/** Who may use a development stack. Known to everybody: a stack with these tokens belongs on a loopback address. */
export const devTokens: readonly DevToken[] = [
  devToken('alice', 'Alice', ['g1']),
  devToken('bob', 'Bob', ['g1', 'g2']),
  devToken('carol', 'Carol', []),
  devToken('admin', 'Admin', ['admin']),
];

function devToken(id: keyof typeof tokens, name: string, groups: readonly string[]): DevToken {
  return {
    token: tokens[id],
    client: { id, display_name: name },
    attributes: groups.map((group) => ({ id: group, display_name: group })),
  };
}
