import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.ts";

/** Packages whose code is in the pages. */
const inPages = ["preact", "uplot", "@scalar/fastify-api-reference"];

/** The licences of other people's code that is carried inside, as these licences demand. */
export function thirdPartyLicenses(folders: ReadonlySet<string>): string {
  const all = new Set([...folders, ...inPages.map((name) => join(root, "node_modules", name))]);
  const parts = [...all].map(licenseOf).sort();
  return `# Code of others in this package\n\n${parts.join("\n")}`;
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync("{LICENSE,LICENCE,license,licence}*", { cwd: folder });
  const text = file === undefined ? "" : `\n${quoted(readFileSync(join(folder, file), "utf8"))}`;
  if (text === "" && license === undefined) throw new Error(`${folder} has no licence.`);
  return `## ${name} ${version}\n\nLicence: ${license}\n${text}`;
}

function quoted(text: string): string {
  const fence = "```";
  return `${fence}text\n${text.replaceAll("\r", "").trim()}\n${fence}\n`;
}
