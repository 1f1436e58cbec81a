import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, missingCurl, runCommandsOf } from "../support/guide-shell.ts";
import { testsNeeding } from "../support/needs.ts";
import { startServer } from "../support/server.ts";
import { readRepoFile } from "./reference.ts";

const { describe, test } = testsNeeding(missingCurl);
const path = "docs/guides/install.md";
const guide = readRepoFile(path);
const root = join(import.meta.dirname, "../../../..");

describe(path, () => {
  test("its check says that a server is ready", async () => {
    const server = await startServer([]);
    try {
      assert.match(await runCommandsOf(guide, server.url, server.folder), /^\{"status":"ready"\}/);
    } finally {
      await server.stop();
    }
  });

  test("the files that its commands name exist, and the unit is installed as in the other guide", () => {
    const commands = blocksOf(guide, "bash").join("");
    const inPackage = commands.match(/(?<=node_modules\/openseat\/)\S+/g) ?? [];
    const inRepository = commands.match(/(?<= )deploy\/\S+/g) ?? [];
    assert.ok(inPackage.length > 0 && inRepository.length > 0);
    for (const file of [...inPackage, ...inRepository]) assert.ok(existsSync(join(root, file)), file);
    const other = blocksOf(readRepoFile("docs/guides/waiting-room.md"), "bash").join("");
    const unit = commands.split("\n").filter((line) => line.startsWith("sudo "));
    assert.ok(unit.length >= 5);
    for (const line of unit) assert.ok(other.includes(line), line);
  });
});
