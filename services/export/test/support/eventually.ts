/** Asks until the answer is not null; the test's own time limit ends a wait in vain. */
export async function eventually<Found>(ask: () => Promise<Found | null> | Found | null): Promise<Found> {
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 30);
    });
  }
}
