/**
 * A copy of a tree (or of any part of one) with every offset set to 0, for comparing what two URLs mean.
 * The copy is not frozen.
 */
export function stripOffsets<Node>(node: Node): Node {
  const copy: Node = JSON.parse(JSON.stringify(node), (key: string, value: unknown) => (key === 'offset' ? 0 : value));
  return copy;
}
