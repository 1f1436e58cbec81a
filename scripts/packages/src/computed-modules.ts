import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";

/** Modules whose exports are functions that compute texts from sources. */
const computed = /\/computed\.ts$/;

/** Replaces these functions with their results, because a package has no sources to compute them from. */
export function computedModules(): Plugin {
  return {
    name: "computed-modules",
    load: {
      filter: { id: computed },
      async handler(id) {
        const functions: Record<string, () => string> = await import(pathToFileURL(id).href);
        return Object.entries(functions)
          .map(([name, compute]) => `export const ${name} = () => ${JSON.stringify(compute())};\n`)
          .join("");
      },
    },
  };
}
