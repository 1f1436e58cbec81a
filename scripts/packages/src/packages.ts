import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.ts";

/** A package to publish, and what is special about it. */
export interface PackageDescription {
  readonly name: string;
  /** The folder of the workspace that it is built from. */
  readonly folder: string;
  /** Entry points: the subpath that people import, and its source in the folder. */
  readonly entries: Readonly<Record<string, string>>;
  /** Also built as CommonJS, for `require` in versions of Node that cannot `require` an ES module. */
  readonly isCommonJsToo: boolean;
  readonly platform: "neutral" | "node";
  /** The oldest version of Node that it runs on. */
  readonly node: string;
  /** Dependencies whose code is carried inside. Others stay dependencies of the package. */
  readonly inside: readonly string[];
  readonly keywords: readonly string[];
  /** Set for the server: its programs, pages and the versions of Node that it can carry. */
  readonly isServer?: true;
}

const clientNode = ">=20";

const known: readonly PackageDescription[] = [
  {
    name: "@openseat/client",
    folder: "packages/client",
    entries: { ".": "src/index.ts" },
    isCommonJsToo: true,
    platform: "neutral",
    node: clientNode,
    inside: ["@openseat/protocol"],
    keywords: ["openseat", "waiting-room", "queue", "matchmaking", "games", "realtime"],
  },
  {
    name: "@openseat/react",
    folder: "packages/react",
    entries: { ".": "src/index.ts" },
    isCommonJsToo: true,
    platform: "neutral",
    node: clientNode,
    inside: [],
    keywords: ["openseat", "react", "hooks", "waiting-room", "queue"],
  },
  {
    name: "@openseat/gate",
    folder: "packages/gate",
    entries: {
      ".": "src/index.ts",
      "./node": "src/node.ts",
      "./express": "src/express.ts",
      "./fastify": "src/fastify.ts",
    },
    isCommonJsToo: false,
    platform: "neutral",
    node: clientNode,
    inside: [],
    keywords: ["openseat", "waiting-room", "queue", "middleware", "express", "fastify", "hono"],
  },
  {
    name: "openseat",
    folder: "packages/server",
    entries: { ".": "src/embed/index.ts" },
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

/** The packages whose folder exists, without entry points whose source does not. */
export function packagesToBuild(names: readonly string[] = []): readonly PackageDescription[] {
  const unknown = names.find((name) => !known.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no package ${unknown}. There are ${known.map(({ name }) => name).join(", ")}.`);
  return known
    .filter(({ name }) => names.length === 0 || names.includes(name))
    .filter(({ folder }) => existsSync(join(root, folder, "package.json")))
    .map((each) => ({ ...each, entries: existingEntries(each) }));
}

function existingEntries({ folder, entries }: PackageDescription): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(entries).filter(([, source]) => existsSync(join(root, folder, source))),
  );
}

/** `openseat` becomes `openseat`, and `@openseat/client` becomes `client`. */
export function shortName(name: string): string {
  return name.replace("@openseat/", "");
}
