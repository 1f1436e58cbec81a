import assert from "node:assert/strict";
import { describe } from "node:test";
import { DatabaseSecrets } from "../../src/config/database-secrets.ts";
import { FolderSecrets } from "../../src/config/folder-secrets.ts";
import { KeyRing } from "../../src/config/key-ring.ts";
import type { SecretStore } from "../../src/config/secret-store.ts";
import { loadSecrets, readSecrets } from "../../src/config/secrets.ts";
import { isSigning, loadSigningKeys, readSigningKeys, rotateKeys } from "../../src/config/signing-keys.ts";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { tempFolder } from "../support/folder.ts";
import { range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { freshDatabase } from "../support/postgres.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { TestClock } from "../support/test-clock.ts";

interface Place {
  /** One node's access to the shared secrets. */
  open(node: string): Promise<SecretStore>;
  close(): Promise<void>;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async "a data folder"() {
    const folder = tempFolder();
    return { open: async () => new FolderSecrets(folder.path), close: async () => folder.remove() };
  },
  async "a database"() {
    const database = await freshDatabase();
    const logs: PostgresLog[] = [];
    return {
      async open(node) {
        const log = await PostgresLog.open(database.url, { node });
        logs.push(log);
        return new DatabaseSecrets((text, values) => log.query(text, values));
      },
      async close() {
        for (const log of logs) await log.close();
        await database.drop();
      },
    };
  },
};

const anything = (content: unknown) => content;

for (const [name, make] of Object.entries(places))
  describe(`secrets in ${name}`, () => {
    const { after, before, test } = testsNeeding(name === "a database" ? missingPostgres : undefined);
    let place: Place;
    let stores: SecretStore[];
    before(async () => {
      place = await make();
      stores = await Promise.all(range(4).map((node) => place.open(`node-${node}`)));
    });
    after(() => place.close());

    test("[AU4] of several nodes that start at once, one creates the secrets and all use them", async () => {
      assert.equal(await readSecrets(stores[0]), undefined);
      const [first, ...others] = await Promise.all(stores.map(loadSecrets));
      assert.equal(new Set(Object.values(first)).size, 3);
      for (const secrets of others) assert.deepEqual(secrets, first);
      assert.deepEqual(await readSecrets(stores[3]), first);

      const [keys, ...same] = await Promise.all(
        stores.map((store, node) => loadSigningKeys(store, 1_000 + node)),
      );
      assert.equal(keys.length, 1);
      for (const it of same) assert.deepEqual(it, keys);
    });

    test("[AU4] stored secrets are not created again, and can only be replaced by a caller that knows them", async () => {
      const [store, other] = stores;
      const before = await store.read("secrets", anything);
      assert.equal(await other.make("secrets", { else: 1 }), false);
      assert.equal(await other.replace("secrets", { else: 2 }, { else: 3 }), false);
      assert.deepEqual(await store.read("secrets", anything), before);
      assert.equal(await other.replace("secrets", before, { else: 4 }), true);
      assert.deepEqual(await store.read("secrets", anything), { else: 4 });
      assert.equal(await store.replace("secrets", { else: 4 }, before), true);
    });

    test("[AD6] concurrent rotations on all nodes are all kept, and every node notices them", async () => {
      const clock = new TestClock();
      const onFailure = (error: unknown) => assert.fail(String(error));
      const rings = await Promise.all(stores.map((store) => KeyRing.open(store, { clock, onFailure })));
      const [{ kid: old }] = rings[0].keys();
      const made = await Promise.all(stores.map((store) => rotateKeys(store, clock.now())));
      const kept = (await readSigningKeys(stores[0]))!.map(({ kid }) => kid);
      assert.deepEqual(new Set(kept), new Set([...made, old]));
      await until("all nodes to notice", async () => {
        await clock.advance(1_000);
        return rings.every((ring) => ring.keys().length === kept.length);
      });
      for (const ring of rings) assert.deepEqual(new Set(ring.keys().map(({ kid }) => kid)), new Set(kept));
      await clock.advance(10_000);
      for (const ring of rings) assert.equal(ring.keys().filter(isSigning).length, 1);
      for (const ring of rings) ring.close();
    });

    test("[AU4] unreadable secrets give a sentence that shows nothing of their content", async () => {
      const [store] = stores;
      const before = await store.read("secrets", anything);
      for (const broken of [
        {},
        [],
        7,
        "a text",
        { guestSecret: "", operatorKey: "hidden-1", serviceKey: "hidden-2" },
      ]) {
        const kept = await store.read("secrets", anything);
        assert.equal(await store.replace("secrets", kept, broken), true);
        await assert.rejects(loadSecrets(store), (error: Error) => {
          assert.equal(error.name, "SecretsUnreadable");
          assert.match(error.message, /^The secrets in .*secrets.* cannot be read: .*\.$/);
          assert.ok(!error.message.includes("hidden"), error.message);
          return true;
        });
        assert.deepEqual(await store.read("secrets", anything), broken, "it was not changed");
      }
      await store.replace("secrets", await store.read("secrets", anything), before);
    });
  });
