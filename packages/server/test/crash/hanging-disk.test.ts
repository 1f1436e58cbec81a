import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ChildServer } from "../support/child-server.ts";
import { failingFlushes, missingCompiler, skipFailingFlushes } from "../support/failing-flushes.ts";
import { until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { diskFolder } from "../support/server.ts";
import { issuerFlags } from "../support/tokens.ts";

const { test } = testsNeeding(missingCompiler);
const skip = skipFailingFlushes;

test("[LG10] a start on a disk that hangs: the log says so, and after SIGTERM the process ends in time and says why", {
  skip,
}, async () => {
  const folder = diskFolder();
  const disk = failingFlushes(folder.path);
  disk.hang();
  const flags = ["--data", join(folder.path, "data"), "--store-timeout-ms", "1000"];
  const server = await ChildServer.begin(flags, disk.environment);
  try {
    await until("a line in the log", () => /data is not open after 1 s\. The start/.test(server.stdout));
    assert.deepEqual(await server.signal("SIGTERM"), { code: null, signal: "SIGKILL" });
    assert.match(server.stderr, /The stop took longer than 15 seconds/);
  } finally {
    await server.kill();
    folder.remove();
  }
});

test("[LG10] a hanging read in the data folder does not block the server", { skip }, async () => {
  const folder = diskFolder();
  await ChildServer.running(["--data", folder.path, ...issuerFlags], async (client, server) => {
    const path = join(folder.path, "signing-keys.json");
    const keys = readFileSync(path);
    // Opening a pipe waits for a writer, and reading waits for its data.
    execFileSync("mkfifo", [`${path}.hanging`]);
    renameSync(`${path}.hanging`, path);
    const writer = await until("the server reads it", () => openForWriting(path));
    try {
      assert.equal((await client.get("/readyz")).status, 200);
      assert.equal((await client.join(await client.newGame(), "ann")).status, 200);
    } finally {
      writeFileSync(`${path}.new`, keys);
      renameSync(`${path}.new`, path);
      writeSync(writer, keys);
      closeSync(writer);
    }
    assert.deepEqual(await server.signal("SIGTERM"), { code: 0, signal: null });
  });
  folder.remove();
});

/** Undefined while nobody reads it. */
function openForWriting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
