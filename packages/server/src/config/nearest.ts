/** In short names, two letters differ as soon as they are swapped. */
const lettersMin = 2;

/** The known name that is most similar to a misspelt one. Undefined if more than a third of `length` letters would differ. */
export function nearestOf(
  known: readonly string[],
  name: string,
  length: number = name.length,
): string | undefined {
  const distances = known.map((other) => ({ other, distance: editDistance(name, other) }));
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best.distance <= Math.max(lettersMin, Math.floor(length / 3)) ? best.other : undefined;
}

/** Levenshtein distance: the number of letters to add, remove or replace. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = previous[column - 1] + Number(from[row - 1] !== to[column - 1]);
      current.push(Math.min(replaced, previous[column] + 1, current[column - 1] + 1));
    }
    previous = current;
  }
  return previous[to.length];
}
