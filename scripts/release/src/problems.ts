import { hasSection, unreleasedIn } from "./changelog.ts";
import { dataOf, hasDataOf, type Repository, recorder } from "./repository.ts";
import { isNewer, isVersion } from "./version.ts";

/** Why this version cannot be released now, and what to do about each reason. */
export function problemsWith(repository: Repository, version: string, branch: string): readonly string[] {
  if (!isVersion(version))
    return [`${version} is not a version. Use three numbers, such as ${nextOf(repository.version)}.`];
  return [
    ...wrongVersion(repository, version),
    ...wrongTree(repository, branch),
    ...wrongChangelog(repository, version),
    ...missingData(repository),
  ];
}

function* wrongVersion({ version: last, versions, tags }: Repository, version: string): Iterable<string> {
  if (!isNewer(version, last))
    yield `${version} is not newer than ${last}. Use a later version, such as ${nextOf(last)}.`;
  if (tags.includes(`v${version}`))
    yield `The tag v${version} exists. Use a later version, or, if ${version} was never published, delete the tag with \`git tag -d v${version}\`.`;
  for (const [path, other] of versions)
    if (other !== last)
      yield `${path} has version ${other}, and package.json has ${last}. All packages have one version: correct it.`;
}

function* wrongTree({ branch, changes }: Repository, expected: string): Iterable<string> {
  if (branch !== expected)
    yield `The branch is ${branch === "" ? "none" : branch}. Switch to it with \`git switch ${expected}\`, or name another branch with --branch.`;
  if (changes.length > 0)
    yield `${count(changes.length, "file is", "files are")} not committed (${changes[0].slice(3)}${changes.length > 1 ? ", …" : ""}). Commit them, or put them aside with \`git stash --include-untracked\`. If they are those of a release that you do not want, undo them with \`git restore .\`.`;
}

function* wrongChangelog({ changelog }: Repository, version: string): Iterable<string> {
  const changes = unreleasedIn(changelog);
  if (changes === undefined) yield "CHANGELOG.md has no line `## Unreleased`. Add it above the last release.";
  if (changes === "") yield "CHANGELOG.md has nothing under Unreleased. Describe what has changed.";
  if (hasSection(changelog, version)) yield `CHANGELOG.md has a section ${version} already. Remove it.`;
}

function* missingData(repository: Repository): Iterable<string> {
  const { version: last } = repository;
  if (!hasDataOf(repository, last))
    yield `There is no data of ${last} to open, in ${dataOf(last)}. Check out v${last} in another folder, run \`npm ci\` and \`npx node ${recorder}\` there, and commit the folder that it writes here.`;
}

function nextOf(version: string): string {
  const [major, minor] = version.split(".").map(Number);
  return `${major}.${minor + 1}.0`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
