/** Waits until something is so, asking again and again; a minute is only to find out that it will not be. */
export async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('It did not happen within a minute.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
