/** The option that a key selects; undefined for other keys. Index -1 means that none is selected yet. */
export function optionAfter(key: string, index: number, length: number): number | undefined {
  if (length === 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return (index + 1) % length;
    case "ArrowUp":
      return index <= 0 ? length - 1 : index - 1;
    default:
      return undefined;
  }
}
