const askedAtOnce = 2_048;

/** Requests 1, 2, 3… up to `count` in order, many at once. */
export async function askInOrder(
  count: number,
  ask: (number: number) => Promise<void>,
  onAnswered: (count: number) => void,
): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  for (let asked = 0; asked < count; asked += askedAtOnce) {
    const some = Math.min(askedAtOnce, count - asked);
    // Send the next batch while the previous one is written, so that rules and disk work in parallel.
    const these = Promise.all(Array.from({ length: some }, (_, index) => ask(asked + index + 1)));
    await before;
    before = these;
    onAnswered(asked);
  }
  await before;
  onAnswered(count);
}
