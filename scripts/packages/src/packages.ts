import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./root.ts";

/** The subpaths that people import, and their sources in the folder. */
type Entries = Readonly<Record<string, string>>;

/** What is special about a package to publish. */
interface Known {
  readonly name: string;
  /** The folder of the workspace that it is built from. */
  readonly folder: string;
  /** Entry points instead of those in the `exports` of the workspace's package.json. */
  readonly entries?: Entries;
  /** Also built as CommonJS, for `require` in versions of Node that cannot `require` an ES module. */
  readonly isCommonJsToo: boolean;
  readonly isForBrowsers?: true;
  readonly platform: "neutral" | "node";
  /** The oldest version of Node that it runs on. */
  readonly node: string;
  /** Dependencies whose code is carried inside. Others stay dependencies of the package. */
  readonly inside: readonly string[];
  readonly keywords: readonly string[];
  /** Set for the server: its programs, pages and the versions of Node that it can carry. */
  readonly isServer?: true;
}

/** A package to publish. */
export type PackageDescription = Known & { readonly entries: Entries };

const clientNode = ">=20";

const known: readonly Known[] = [
  {
    name: "@openseat/client",
    folder: "packages/client",
    isCommonJsToo: true,
    isForBrowsers: true,
    platform: "neutral",
    node: clientNode,
    inside: ["@openseat/protocol"],
    keywords: ["openseat", "waiting-room", "queue", "matchmaking", "games", "realtime"],
  },
  {
    name: "@openseat/react",
    folder: "packages/react",
    isCommonJsToo: true,
    isForBrowsers: true,
    platform: "neutral",
    node: clientNode,
    inside: [],
    keywords: ["openseat", "react", "hooks", "waiting-room", "queue"],
  },
  {
    name: "@openseat/gate",
    folder: "packages/gate",
    isCommonJsToo: false,
    platform: "neutral",
    node: clientNode,
    inside: [],
    keywords: ["openseat", "waiting-room", "queue", "middleware", "express", "fastify", "hono"],
  },
  {
    name: "openseat",
    folder: "packages/server",
    // The workspace exports what other programs of this repository use.
    entries: { ".": "./src/embed/index.ts" },
    isCommonJsToo: false,
    platform: "node",
    // The launcher runs on it, and starts the server on a newer one.
    node: clientNode,
    inside: [
      "@fastify/swagger",
      // What rolldown writes instead of some syntax.
      "@oxc-project/runtime",
      "@openseat/client",
      "@openseat/kernel",
      "@openseat/protocol",
      "@openseat/web",
      "glicko2-lite",
      "grammy",
      "prom-client",
      "typebox",
    ],
    keywords: ["waiting-room", "queue", "matchmaking", "ladder", "arena", "seats", "server"],
    isServer: true,
  },
];

/** A name that no package has. */
export class UnknownPackage extends Error {}

/** The packages whose folder exists, all or those with these names: `@openseat/client`, `client` or the folder's name. */
export function packagesToBuild(names: readonly string[] = []): readonly PackageDescription[] {
  const namesOf = ({ name, folder }: Known) => [name, shortName(name), basename(folder)];
  const unknown = names.find((name) => !known.some((each) => namesOf(each).includes(name)));
  if (unknown !== undefined) {
    const all = known.map(({ name }) => shortName(name)).join(", ");
    throw new UnknownPackage(`There is no package ${unknown}. There are: ${all}.`);
  }
  return known
    .filter((each) => names.length === 0 || namesOf(each).some((name) => names.includes(name)))
    .filter(({ folder }) => existsSync(join(root, folder, "package.json")))
    .map((each) => ({ ...each, entries: entriesOf(each) }));
}

function entriesOf({ folder, entries }: Known): Entries {
  if (entries)
    return Object.fromEntries(
      Object.entries(entries).filter(([, source]) => existsSync(join(root, folder, source))),
    );
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).exports;
}

/** `openseat` becomes `openseat`, and `@openseat/client` becomes `client`. */
export function shortName(name: string): string {
  return name.replace("@openseat/", "");
}
