import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NpmProject } from "../support/npm-project.ts";

/** The packages that the checks are installed from, in a folder of their own. */
export const checkers: readonly string[] = ["kubernetes-models@5.1.0", "typescript@5.9.3", "yaml@2.9.1"];

/** A part of a parsed file. */
// biome-ignore lint/suspicious/noExplicitAny: The fields are checked by the schemas.
export type Part = Record<string, any>;

/** Parses a YAML file, with a package of the project. */
export async function parseYaml(project: NpmProject, file: string): Promise<readonly Part[]> {
  const program = `
    import { readFileSync } from "node:fs";
    import { parseAllDocuments } from "yaml";
    const documents = parseAllDocuments(readFileSync(${JSON.stringify(file)}, "utf8"), { merge: true });
    for (const { errors: [error] } of documents) if (error) throw error;
    console.log(JSON.stringify(documents.map((each) => each.toJS())));`;
  return JSON.parse(await project.succeeds(process.execPath, ["--input-type=module", "-e", program]));
}

/** Fails unless the objects conform to the JSON schemas of Kubernetes: required fields, types, formats. */
export async function checkSchemas(project: NpmProject, objects: readonly Part[]): Promise<void> {
  const checks = objects.map(
    (object) =>
      `new (await import("kubernetes-models/${moduleOf(object)}")).${object.kind}(${JSON.stringify(object)}).validate();`,
  );
  await project.succeeds(process.execPath, ["--input-type=module", "-e", checks.join("\n")]);
}

/** Fails if an object has a field that Kubernetes does not know, which the schemas allow. */
export async function checkFields(project: NpmProject, objects: readonly Part[]): Promise<void> {
  const constants = objects.map(
    (object, index) =>
      `export const object${index}: import("kubernetes-models/${moduleOf(object)}").I${object.kind} = ${JSON.stringify(object)};`,
  );
  writeFileSync(join(project.folder, "objects.mts"), constants.join("\n"));
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "esnext"];
  await project.succeeds(process.execPath, ["node_modules/typescript/bin/tsc", ...flags, "objects.mts"]);
}

/** The core group has no name. */
function moduleOf({ apiVersion }: Part): string {
  return apiVersion;
}
