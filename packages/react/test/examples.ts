import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const sourceOf = (name: string) => fileURLToPath(new URL(`../../${name}/src/index.ts`, import.meta.url));
const folderOf = (name: string) => dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));

/** Where the examples find what they import, as if it were installed. */
export const installed = {
  "@openseat/client": sourceOf("client"),
  "@openseat/react": sourceOf("react"),
  "@openseat/protocol": fileURLToPath(new URL("../../protocol/src", import.meta.url)),
  react: folderOf("react"),
  "react-dom": folderOf("react-dom"),
};

/** Writes the examples of the README into the folder, and returns their files. */
export function writeExamples(folder: string, url: string): string[] {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  return [...readme.matchAll(/```tsx\n(.*?)```/gs)].map(([, code], index) => {
    const file = join(folder, `example-${index + 1}.tsx`);
    writeFileSync(file, code.replaceAll("http://localhost:8080", url));
    return file;
  });
}

/** Bundles a page, as the developer of a site would. */
export async function bundled(file: string): Promise<string> {
  const { output } = await build({
    input: file,
    platform: "browser",
    resolve: {
      alias: {
        ...installed,
        "@openseat/protocol/friendly-names": join(installed["@openseat/protocol"], "friendly-names.ts"),
      },
    },
    transform: { define: { "process.env.NODE_ENV": '"development"' }, jsx: { runtime: "automatic" } },
    output: { format: "iife" },
    write: false,
    logLevel: "silent",
  });
  return output[0].code;
}
