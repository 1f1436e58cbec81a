import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { blocksOf, missingCurl, runCommands } from "../support/guide-shell.ts";
import { type Json, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { skipOnPostgres } from "../support/store.ts";
import { readRepoFile } from "./reference.ts";

const { test } = testsNeeding(missingCurl);
const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

test("[AD6] docs/guides/rotate-keys.md: a new key is published beside the old one, and alone after a leak", {
  skip: skipOnPostgres,
}, async () => {
  const folder = tempFolder();
  const data = join(folder.path, "data");
  const [rotate, list, leaked, ...more] = blocksOf(readRepoFile("docs/guides/rotate-keys.md"));
  assert.deepEqual(more, []);
  try {
    await ChildServer.running(["--data", data], async (client, { url }) => {
      const here = {
        "npx openseat ": `"${process.execPath}" "${main}" `,
        "/srv/openseat": data,
        "http://localhost:8080": url,
      };
      const run = async (commands: string) =>
        (await runCommands(commands, { folder: folder.path, here })).stdout;
      const published = async () =>
        (await client.get("/.well-known/jwks.json")).body.keys.map(({ kid }: Json) => kid) as string[];
      const newKeyIn = (said: string) => /new key (\S+)\.$/m.exec(said)![1];

      const [old] = await published();
      const second = newKeyIn(await run(rotate));
      await until("both keys are published", async () => (await published()).length === 2);
      const listed = await run(list);
      for (const kid of [old, second]) assert.ok(listed.includes(kid), listed);

      const third = newKeyIn(await run(leaked));
      await until("the new key alone is published", async () => String(await published()) === third);
    });
  } finally {
    folder.remove();
  }
});
