import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "./root.ts";

const link = /\[([^\]]+)\]\((\.{1,2}\/[^)\s]+)\)/g;

/** The README of a package. A link to another file of the repository leads nowhere from there, so its path is shown instead. */
export function readmeOf(folder: string): string {
  const text = readFileSync(join(root, folder, "README.md"), "utf8");
  return text.replace(link, (_, words: string, path: string) => {
    const target = posix.join(folder, path);
    return words === target ? `\`${target}\`` : `${words} (\`${target}\`)`;
  });
}
