import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { waitMsMax } from "../../server/test/support/patience.ts";
import { startServer, type TestServer, tempFolder } from "../../server/test/support/server.ts";
import { Openseat } from "../src/index.ts";

const run = promisify(execFile);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);

/** The expected output of each example, in order. */
const printed = [
  /^ACTIVE until \d{4}-\d\d-\d\dT.*\nCOMPLETED completed\n$/,
  /^WAITING 1 of 1 \nADMITTED 0 of 0 \nACTIVE 0 of 0 \nLEFT 0 of 0 left\n$/,
  /^\{ admitted: 1, waiting: 0 \}\n$/,
  /^\w+ \w+ is seated X\n$/,
  /sees: seated.*sees: match-started.*sees: moved.*winner: [XO]\nmoves: a1 b1 c1 a2 /s,
  /^WAITING \[\]\nENDED \[ 'arena-ended' \]\n$/,
  /^(0 of 1, OPEN\n)?.*in as guest_.*room\.full Game is full 0\n/s,
  /^(?=.*reported: pending\n)(?=.*Ann sees: match-reported\n).*Ann sees: match-counted\n1\. Ann 1016\n2\. Bob 984\nAnn against Bob: 1 to 0\n$/s,
  /^Hello, Ann_of_Kent!.*Bob reads: Ann_of_Kent challenges you.*a secret: null\nBob won against rock\n$/s,
];

suite("README examples", () => {
  let server: TestServer;
  const folder = tempFolder();
  before(async () => {
    server = await startServer([]);
    const operator = new Openseat({ url: server.url, token: server.operatorKey });
    await operator.queues.create({ id: "demo", title: "The sale", maxActive: 1 });
    operator.close();
  });
  after(async () => {
    await server.stop();
    folder.remove();
  });

  test("every example has an expected output", () => assert.equal(examples.length, printed.length));

  for (const [index, code] of examples.entries()) {
    test(`number ${index + 1} prints the expected output`, async () => {
      const file = join(folder.path, `example-${index}.ts`);
      const client = new URL("../src/index.ts", import.meta.url).href;
      writeFileSync(
        file,
        code.replaceAll("http://localhost:8080", server.url).replaceAll("@openseat/client", client),
      );
      const { stdout, stderr } = await run(process.execPath, [file], {
        timeout: waitMsMax,
        env: { ...process.env, OPERATOR_KEY: server.operatorKey },
      });
      assert.match(stdout, printed[index]);
      assert.equal(stderr, "");
    });
  }
});
