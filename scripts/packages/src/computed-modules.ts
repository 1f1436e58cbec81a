import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";

/** Modules whose exports are texts computed from sources. */
const computed = /\/computed\.ts$/;

/** Replaces these modules with the values of their exports, because a package has no sources to compute them from. */
export function computedModules(): Plugin {
  return {
    name: "computed-modules",
    load: {
      filter: { id: computed },
      async handler(id) {
        const values: Record<string, unknown> = await import(pathToFileURL(id).href);
        return Object.entries(values)
          .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
          .join("");
      },
    },
  };
}
