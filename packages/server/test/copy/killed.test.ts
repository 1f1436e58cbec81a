import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LogUnusable } from "../../src/log/log.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { range, within } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { crowdIn } from "./crowd.ts";
import { kinds, missingFor, type Place } from "./places.ts";
import { contentOfFolder, copied } from "./stores.ts";

/** COPY_KILLS says how often a copy is killed in each test, COPY_SEED repeats a run's choices. */
const kills = Number(process.env.COPY_KILLS ?? 2);
const seed = Number(process.env.COPY_SEED ?? Math.floor(Math.random() * 2 ** 31));

const scriptAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** How a process ended: by a signal, or with the number of steps that it printed. */
async function endingCopy(from: string, to: string, step: number): Promise<string> {
  const child = spawn(process.execPath, [scriptAt("./ending-copy.ts"), from, to, String(step)]);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const [, signal] = await within("the end of the copy", once(child, "close"));
  return signal ?? said.trim();
}

for (const [kind, newPlace] of Object.entries(kinds)) {
  describe(`a copy to ${kind} that is killed`, () => {
    const { after, afterEach, before, test } = testsNeeding(missingFor(kind));
    const home = tempFolder();
    const from = `sqlite:${home.path}`;
    const places: Place[] = [];
    const anotherPlace = async () => {
      const place = await newPlace();
      places.push(place);
      return place;
    };

    before(() => crowdIn(home.path));
    afterEach(async () => {
      for (const place of places.splice(0)) await place.remove();
    });
    after(home.remove);

    /** Copies it back and compares. */
    const assertWhole = async ({ address }: Place) => {
      const back = tempFolder();
      try {
        const { code, stderr } = await copied(address, `sqlite:${back.path}`);
        assert.equal(code, 0, stderr);
        assert.deepEqual(contentOfFolder(back.path), contentOfFolder(home.path));
      } finally {
        back.remove();
      }
    };

    test(`[LG7] at any step: no server starts on it, and the next copy succeeds (COPY_SEED=${seed})`, async () => {
      const steps = Number(await endingCopy(from, (await anotherPlace()).address, 0));
      assert.ok(steps > 10, `there were ${steps}`);
      const place = await anotherPlace();
      const random = randomOf(seed);
      // Before the first step nothing exists; the last one completes the copy.
      const some = range(kills).map(() => 2 + Math.floor(random() * (steps - 1)));
      for (const step of [2, ...some, steps]) {
        assert.equal(await endingCopy(from, place.address, step), "SIGKILL");
        await assert.rejects(place.open(), LogUnusable, `killed at step ${step} of ${steps}`);
      }
      const server = await ChildServer.run(["--port", "0", ...place.flags]);
      assert.equal(server.code, 1, server.stderr);
      assert.match(
        server.stderr,
        /^The (database holds a copy that has not ended|data folder holds an unfinished copy)\. .*\n$/,
      );
      const { code, stderr } = await copied(from, place.address);
      assert.equal(code, 0, stderr);
      await assertWhole(place);
      await (await place.open()).close();
    });

    test(`[LG7] at any time: the copy is complete, or the next one completes it (COPY_SEED=${seed})`, async () => {
      const run = async (to: string, killAfterMs?: number) => {
        const args = [scriptAt("../../src/main.ts"), "copy", "--from", from, "--to", to];
        const child = spawn(process.execPath, args, { stdio: "ignore" });
        const ended = once(child, "close");
        if (killAfterMs !== undefined) {
          await Promise.race([setTimeout(killAfterMs), ended]);
          child.kill("SIGKILL");
        }
        await within("the end of the command", ended);
      };
      const started = performance.now();
      const first = await anotherPlace();
      await run(first.address);
      const wholeMs = performance.now() - started;
      await assertWhole(first);
      const random = randomOf(seed + 1);
      for (const _ of range(kills)) {
        const place = await anotherPlace();
        await run(place.address, random() * wholeMs);
        const { code, stderr } = await copied(from, place.address);
        if (code !== 0) assert.match(stderr, /^There is a log in .* already/);
        await assertWhole(place);
      }
    });
  });
}

function randomOf(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
