import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { Client, until } from "../../../packages/server/test/support/http.ts";
import { testsNeeding } from "../../../packages/server/test/support/needs.ts";
import { missingPostgres } from "../../../packages/server/test/support/postgres-programs.ts";
import {
  releases,
  toldBy,
  type Written,
  withoutMessage,
} from "../../../packages/server/test/upgrade/written.ts";
import { InstalledServer } from "./support/installed-server.ts";
import { missingFromRegistry } from "./support/registry.ts";

const missing = await missingFromRegistry("fastify@5");

/** The installed package serves what the older version wrote, finds no damage, and can write. */
async function opens({ timeless }: Written, store: readonly string[]): Promise<void> {
  const server = await InstalledServer.start({ store, flags: ["--no-demo"] });
  const client = new Client(server.url);
  try {
    assert.ok(timeless.length >= 7);
    for (const { path, call, told } of timeless)
      assert.deepEqual(withoutMessage(toldBy(await client.call(path, call))), withoutMessage(told), path);
    const created = { token: InstalledServer.operatorKey, body: { title: "After the upgrade" } };
    assert.equal((await client.post("/api/v1/ladders", created)).status, 201);
    assert.equal((await client.get("/readyz")).body.status, "ready");
    await until("the check of the log", () => server.stdout().includes("the log has been checked"));
    assert.match((await client.get("/metrics")).text, /^openseat_damaged_rooms 0$/m);
  } finally {
    client.close();
    await server.stop();
  }
}

for (const written of releases) {
  testsNeeding(missing).test(`the packed openseat opens a data folder of ${written.version}`, async () => {
    const folder = written.copyFolder(tmpdir());
    await opens(written, ["--data", folder.path]);
    folder.remove();
  });

  testsNeeding(missing, missingPostgres).test(
    `the packed openseat opens a PostgreSQL database of ${written.version}`,
    async () => {
      const database = await written.restoreDatabase();
      await opens(written, ["--database-url", database.url]);
      await database.drop();
    },
  );
}
