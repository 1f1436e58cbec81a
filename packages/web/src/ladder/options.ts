/** Which of so many options a key leads to; -1 is none of them, undefined a key that means something else. */
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
