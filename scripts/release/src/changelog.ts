const unreleased = "## Unreleased\n";

/** What stands under Unreleased; undefined if the changelog has no such section. */
export function unreleasedIn(changelog: string): string | undefined {
  const [, after] = splitAt(changelog, unreleased) ?? [];
  return after?.split(/^## /m, 1)[0].trim();
}

export function hasSection(changelog: string, version: string): boolean {
  return changelog.split("\n").some((line) => line.startsWith(`## [${version}]`));
}

/** The changelog with the section Unreleased under this version, and a new empty one above it. */
export function withReleased(changelog: string, version: string, day: string): string {
  const [before, after] = splitAt(changelog, unreleased)!;
  return `${before}${unreleased}\n## [${version}] - ${day}\n${after}`;
}

/** What is before and after a line. */
function splitAt(text: string, line: string): [string, string] | undefined {
  const at = text.startsWith(line) ? 0 : text.indexOf(`\n${line}`) + 1;
  if (at === 0 && !text.startsWith(line)) return undefined;
  return [text.slice(0, at), text.slice(at + line.length)];
}
