import { recorder } from "./repository.ts";

/** What to run after the files have changed, and in which order. */
export function instructionsFor(version: string, branch: string, packages: readonly string[]): string {
  const tag = `v${version}`;
  // Push before publishing: a push can be refused, and what is published cannot be taken back.
  return `Commit it, and push it with its tag:

  git commit --all --message "Release ${version}"
  git tag --annotate ${tag} --message "Release ${version}"
  git push --atomic origin ${branch} ${tag}

Publish the packages, in this order:

${packages.map((name) => `  npm publish ./build/tarballs/${tarballOf(name, version)} --access public\n`).join("")}
Record the data that this release writes. The next release is tested with it:

  npx node ${recorder}
  git add packages/server/test/upgrade
  git commit --message "Record the data that ${version} writes"
`;
}

/** The name of a packed file, as npm gives it. */
function tarballOf(name: string, version: string): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}
