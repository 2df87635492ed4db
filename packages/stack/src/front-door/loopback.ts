/** Whether an address, as a socket reports it, is of this machine's loopback network. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
