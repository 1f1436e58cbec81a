/**
 * A process with its own log, which tests kill or starve. `node child.ts FOLDER` opens the folder and prints `open`, or
 * `refused NAME: MESSAGE`. Then it obeys stdin: `append` prints `appended VERSION` or `failed NAME: MESSAGE`; `run` appends
 * forever and prints each acknowledged version; `count` prints `count ENTRIES` of the intact stored entries; `close` closes the
 * log.
 */
import { createInterface } from "node:readline";
import { firstHash } from "../../src/log/entry.ts";
import { SqliteLog } from "../../src/log/sqlite/sqlite-log.ts";
import { appendAll } from "../support/append-all.ts";
import { appendTo, assertWhole } from "./contract.ts";

const say = (line: string) => void process.stdout.write(`${line}\n`);
const inWords = (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`;
const stream = "game/g";

const log = await SqliteLog.open(process.argv[2]).catch((error) => {
  say(`refused ${inWords(error)}`);
  process.exit(3);
});
say("open");

async function append(): Promise<number> {
  const head = (await log.head(stream)) ?? { version: 0, hash: firstHash(stream) };
  const count = 1 + (head.version % 3);
  const [outcome] = await appendAll(log, [
    appendTo(stream, head.version, head.hash, { count, text: "x".repeat(2_000) }),
  ]);
  if (outcome !== "appended") throw new Error(outcome);
  return head.version + count;
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    if (line === "append") say(`appended ${await append()}`);
    if (line === "run") for (;;) say(`appended ${await append()}`);
    if (line === "count") say(`count ${await assertWhole(log, stream)}`);
    if (line === "close") {
      await log.close();
      say("closed");
      break;
    }
  } catch (error) {
    say(`failed ${inWords(error)}`);
  }
}
