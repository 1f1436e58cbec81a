/** The name of an entry point's files: `.` is `index`, and `./express` is `express`. */
export function entryName(subpath: string): string {
  return subpath === "." ? "index" : subpath.slice(2);
}
