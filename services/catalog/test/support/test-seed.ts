/** A run without a wish is the same each time: the tests of a commit say the same about it wherever they run. */
const USUAL = 20_261_120;

/**
 * The seed of everything a test makes at random.
 *
 * `TEST_SEED` is a number to repeat a run, or `random` to look where nobody looked before.
 */
export function testSeed(): number {
  const wish = process.env.TEST_SEED ?? '';
  if (wish === '') return USUAL;
  if (wish === 'random') return Math.floor(Math.random() * 2 ** 31);
  const seed = Number(wish);
  if (!Number.isSafeInteger(seed)) throw new Error(`TEST_SEED is a whole number or "random", not "${wish}".`);
  return seed;
}
