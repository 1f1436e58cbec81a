const askedAtOnce = 2_048;

/** Asks for 1, 2, 3… up to `count` in order, many at once. */
export async function askInOrder(
  count: number,
  ask: (number: number) => Promise<void>,
  onAnswered: (count: number) => void,
): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  for (let asked = 0; asked < count; asked += askedAtOnce) {
    const some = Math.min(askedAtOnce, count - asked);
    // The next are on their way while those before them are written: else the disk and the rules would wait in turn.
    const these = Promise.all(Array.from({ length: some }, (_, index) => ask(asked + index + 1)));
    await before;
    before = these;
    onAnswered(asked);
  }
  await before;
  onAnswered(count);
}
