import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { FolderSecrets } from "../../src/config/folder-secrets.ts";
import { loadSecrets, type Secrets } from "../../src/config/secrets.ts";
import { loadSigningKeys } from "../../src/config/signing-keys.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { skipOnPostgres } from "../support/store.ts";

suite("commands on a data folder", { skip: skipOnPostgres }, () => {
  const folder = tempFolder();
  const store = new FolderSecrets(folder.path);
  let secrets: Secrets;
  before(async () => {
    secrets = await loadSecrets(store);
  });
  after(() => folder.remove());

  const run = (...args: string[]) => ChildServer.run([...args, "--data", folder.path]);

  test("[AU4] keys prints the operator and service keys, but not the secret that signs guest tokens", async () => {
    const { code, stdout, stderr } = await run("keys");
    assert.deepEqual([code, stderr], [0, ""]);
    const { operatorKey, serviceKey, guestSecret } = secrets;
    assert.deepEqual(JSON.parse(stdout), { operatorKey, serviceKey });
    assert.ok(!stdout.includes(guestSecret));
  });

  test("keys prints keys from settings instead of stored ones", async () => {
    const operatorKey = "operator-key-given-by-hand";
    const { stdout } = await ChildServer.run(["keys", "--data", folder.path], {
      OPENSEAT_OPERATOR_KEY: operatorKey,
    });
    assert.deepEqual(JSON.parse(stdout), { operatorKey, serviceKey: secrets.serviceKey });
  });

  test("keys on an unused or missing folder prints a sentence, exits with code 2 and creates nothing", async () => {
    const empty = tempFolder();
    for (const path of [empty.path, join(empty.path, "nowhere")]) {
      const { code, stdout, stderr } = await ChildServer.run(["keys", "--data", path]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^There are no keys yet: .*\n$/);
    }
    empty.remove();
  });

  test("[AU4] unreadable keys give a sentence and code 1, and their content is not shown", async () => {
    const broken = tempFolder();
    writeFileSync(join(broken.path, "secrets.json"), '{ "operatorKey": half-of-a-key');
    const { code, stdout, stderr } = await ChildServer.run(["keys", "--data", broken.path]);
    broken.remove();
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^The secrets in \S+secrets\.json cannot be read: they are not JSON\.\n$/);
  });

  test("[AD6] rotate-keys keeps tokens of the old key valid; with --leaked it does not", async () => {
    const [{ kid: first }] = await loadSigningKeys(store, Date.now());
    const keptKids = () =>
      JSON.parse(readFileSync(join(folder.path, "signing-keys.json"), "utf8")).keys.map(
        ({ kid }: { kid: string }) => kid,
      );
    const rotated = await run("rotate-keys");
    assert.deepEqual([rotated.code, rotated.stderr], [0, ""]);
    const [second] = keptKids();
    assert.equal(rotated.stdout, `Admission tokens are now signed with the new key ${second}.\n`);
    assert.deepEqual(keptKids(), [second, first]);
    assert.equal((await run("rotate-keys", "--leaked")).code, 0);
    assert.equal(keptKids().length, 1);
    assert.ok(![first, second].includes(keptKids()[0]));
  });
});
