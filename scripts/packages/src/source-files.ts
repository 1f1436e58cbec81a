import { existsSync, readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";

/** Any `new URL(…, import.meta.url)` in a source. */
const address = /new URL\(\s*([^,()]+?)\s*,\s*import\.meta\.url\s*\)/g;

/** The folder of the built pages in the sources. The package has it beside its modules. */
const builtPages = "../../dist/";

/**
 * Carries the files that sources find beside themselves: SQL and Markdown as assets, programs of worker threads as entry points.
 * An address that it cannot follow is an error, because the package would fail only when it is used.
 */
export function sourceFiles(): Plugin {
  return {
    name: "source-files",
    transform: {
      filter: { code: "import.meta.url" },
      handler(code, id) {
        if (id.includes("node_modules")) return;
        const replaced = code.replace(address, (_, argument: string) => {
          const path = /^"([^"]+)"$/.exec(argument)?.[1];
          if (path === undefined) throw new Error(`${id}: ${argument} is not a plain text.`);
          if (path === builtPages) return 'new URL("./pages/", import.meta.url)';
          const file = fileURLToPath(new URL(path, pathToFileURL(id)));
          if (!existsSync(file)) throw new Error(`${id}: there is no ${path}.`);
          const reference =
            extname(file) === ".ts"
              ? this.emitFile({ type: "chunk", id: file, name: basename(file, ".ts") })
              : this.emitFile({ type: "asset", name: basename(file), source: readFileSync(file) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
        });
        return { code: replaced, map: null };
      },
    },
  };
}
