/** After this nobody waits any more: it ends tests that would wait in vain, and says nothing about speed. */
const PATIENCE = 170_000;

/** Asks until the answer is not null. */
export async function eventually<Found>(ask: () => Promise<Found | null> | Found | null): Promise<Found> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE) {
    const found = await ask();
    if (found !== null) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 30);
    });
  }
  throw new Error('It did not happen.');
}
