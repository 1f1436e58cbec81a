/** Whether `npm publish` makes it the latest: three numbers, without a suffix. */
export function isVersion(text: string): boolean {
  return /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(text);
}

export function isNewer(version: string, than: string): boolean {
  const [left, right] = [version, than].map((each) => each.split(".").map(Number));
  const first = left.findIndex((number, index) => number !== right[index]);
  return first !== -1 && left[first] > right[first];
}
