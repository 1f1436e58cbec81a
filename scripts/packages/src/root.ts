import { join } from "node:path";

/** The folder of the repository. */
export const root: string = join(import.meta.dirname, "../../..");

/** Where the packages are built. */
export const builtPackages: string = join(root, "build/packages");

/** The packages as files, as `npm publish` would send them. */
export const tarballs: string = join(root, "build/tarballs");
