import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GameRoom, PersonId } from "@openseat/kernel";
import type { FeedMessage, Lens, Viewer } from "../../src/feed/watch.ts";
import { watchLimits } from "../../src/feed/watch.ts";
import { answered, turns, until } from "../support/test-clock.ts";
import { Reader, Theatre } from "./theatre.ts";

/** A room with a separate view for each viewer: the number of seats taken, and the viewer. */
class Peepshow extends Theatre {
  /** How often the shared part was computed. */
  sharings = 0;

  override lens(id: string): Lens {
    const plain = super.lens(id);
    const json = (version: number, rest: string) => `${version} ${rest}`.padEnd(this.weight);
    return {
      view: async (viewer) => {
        this.views++;
        const result = await this.games.read(id, (room, version) => ({ seated: room!.seated, version }));
        assert.ok("value" in result);
        const { seated, version } = result.value;
        return { type: "view", version, json: json(version, `${seated} for ${viewer}`) };
      },
      change: (entry) => ({ ...plain.change(entry), json: json(entry.version, "for all") }),
      live: (entries, state) => {
        this.sharings++;
        const { seated } = state as GameRoom;
        return (viewer) =>
          entries.map(({ version }, index): FeedMessage => {
            const isLast = index === entries.length - 1;
            const rest = isLast ? `${seated} for ${viewer}` : "for all";
            return { type: "change", version, json: json(version, rest) };
          });
      },
    };
  }

  look(reader: Reader, viewer: string | undefined, after?: number) {
    return this.hub.watch("game/g", this.lens("g"), reader, { after, viewer: viewer as Viewer });
  }
}

async function peepshow(): Promise<Peepshow> {
  const stage = new Peepshow();
  stage.weight = 0;
  await stage.created("g", { seats: 100_000 });
  return stage;
}

const texts = (reader: Reader) =>
  reader.got.map(({ type, json }) => `${type === "view" ? "view " : ""}${json.trim()}`);

describe("a room with a separate view for each viewer", () => {
  test("[AR11] [FD1] each viewer gets their own view, then every change with their own data", async () => {
    const stage = await peepshow();
    const [ann, bob, anyone] = [new Reader(), new Reader(), new Reader()];
    stage.look(ann, "ann");
    stage.look(bob, "bob");
    stage.look(anyone, undefined);
    await turns();
    await stage.joins(2, 2);
    await stage.joins(3, 3);
    assert.deepEqual(texts(ann), ["view 1 0 for ann", "2 1 for ann", "3 2 for ann"]);
    assert.deepEqual(texts(bob), ["view 1 0 for bob", "2 1 for bob", "3 2 for bob"]);
    assert.deepEqual(texts(anyone), ["view 1 0 for undefined", "2 1 for undefined", "3 2 for undefined"]);
    assert.equal(stage.sharings, 2, "the shared part is computed once for all watchers");
  });

  test("[FD1] entries that become durable together come one by one; the last has the current state", async () => {
    const stage = await peepshow();
    const reader = new Reader();
    stage.look(reader, "ann", 1);
    await turns();
    stage.log.holding = true;
    const first = stage.join("g", "a");
    await turns();
    const rest = ["b", "c", "d"].map((name) => stage.join("g", name));
    await turns();
    stage.log.releaseAll();
    await answered(Promise.all([first, ...rest]));
    await turns();
    assert.deepEqual(texts(reader), [
      "view 1 0 for ann",
      "2 1 for ann",
      "3 for all",
      "4 for all",
      "5 4 for ann",
    ]);
  });

  test("[FD1] from any version: every change since, each once, then a view, then new changes", async () => {
    const stage = await peepshow();
    await stage.joins(2, 9);
    for (const after of [0, 1, 5, 8, 9]) {
      const reader = new Reader();
      const { close } = stage.look(reader, "ann", after);
      await turns(30);
      const missed = Array.from({ length: 9 - after }, (_, index) => `${after + 1 + index} for all`);
      assert.deepEqual(texts(reader), [...missed, "view 9 8 for ann"], `after ${after}`);
      close();
    }
    const reader = new Reader();
    stage.look(reader, "ann", 7);
    await turns(30);
    await stage.joins(10, 11);
    assert.equal(reader.versions, "8 9 view 9 10 11");
    assert.match(reader.got[4].json, /^11 10 for ann/);
  });

  test("[FD2] a slow viewer gets all the changes it missed, then the current state once; then it continues", async () => {
    const stage = await peepshow();
    stage.weight = 10_000;
    const reader = new Reader();
    stage.look(reader, "ann", 1);
    await turns();
    reader.isSlow = true;
    for (let version = 2; version <= 60; version++) await stage.joins(version, version);
    const got = reader.got.length;
    assert.ok(reader.backlogBytes <= watchLimits.backlogBytesMax + stage.weight, "its backlog is bounded");
    reader.drain();
    await stage.clock.advance(watchLimits.drainCheckMs * 2);
    await turns(40);
    await stage.joins(61, 62);
    const changes = reader.got.filter(({ type }) => type === "change").map(({ version }) => version);
    assert.deepEqual(
      changes,
      Array.from({ length: 61 }, (_, index) => index + 2),
    );
    const later = reader.got.slice(got).filter(({ type }) => type === "view");
    assert.deepEqual(
      later.map(({ json }) => json.trim()),
      ["60 59 for ann"],
    );
    assert.match(reader.got.at(-1)!.json, /^62 61 for ann/);
  });

  test("[FD1] changes that become durable while the view is made come after it, each once", async () => {
    const stage = await peepshow();
    await stage.joins(2, 3);
    for (const after of [undefined, 1, 3]) {
      const { version } = (await stage.log.head("game/g"))!;
      const reader = new Reader();
      const lens = stage.lens("g");
      let isFirst = true;
      const view = async (viewer: Viewer) => {
        const made = await lens.view(viewer);
        if (isFirst) await stage.joins(version + 1, version + 4);
        isFirst = false;
        return made;
      };
      stage.hub.watch("game/g", { ...lens, view }, reader, { after, viewer: "ann" as PersonId });
      await until(() => (reader.got.at(-1)?.version ?? 0) >= version + 4, "the reader is there");
      await turns(20);
      await stage.joins(version + 5, version + 6);
      assertInOrder(reader, after, version + 6);
      assert.match(reader.got.at(-1)!.json, / for ann/, "it ends with the viewer's own part");
    }
  });

  test("[FD1] if something is published during a catch-up with a view, the view undoes nothing", async () => {
    for (let moment = 0; moment < 40; moment++) {
      const stage = await peepshow();
      await stage.joins(2, 6);
      const reader = new Reader();
      const lens = stage.lens("g");
      let late: Promise<unknown> | undefined;
      // The seventh entry arrives during the view and is in it; the eighth is being written.
      const view = async (viewer: Viewer) => {
        if (late) return lens.view(viewer);
        await stage.joins(7, 7);
        const made = await lens.view(viewer);
        stage.log.holding = true;
        late = stage.join("g", "late");
        await turns(2);
        return made;
      };
      const { read } = stage.log;
      stage.log.read = async (...args) => {
        const batches = await read.apply(stage.log, args);
        if (stage.log.holding) void release();
        return batches;
      };
      // Counted in the smallest possible steps, those of a promise.
      const release = async () => {
        for (let step = 0; step < moment; step++) await undefined;
        stage.log.releaseAll();
      };
      stage.hub.watch("game/g", { ...lens, view }, reader, { after: 3, viewer: "ann" as PersonId });
      await until(() => late !== undefined, "the view is requested");
      await answered(late!);
      await turns(30);
      await stage.joins(9, 9);
      assertInOrder(reader, 3, 9, `moment ${moment}: ${reader.versions}`);
    }
  });

  test("[FD1] a viewer who fell behind and read the log gets the current state, whenever something is published meanwhile", async () => {
    for (let moment = 0; moment < 40; moment++) {
      const stage = await peepshow();
      await stage.joins(2, 6);
      const reader = new Reader();
      const lens = stage.lens("g");
      let fallen = false;
      let late: Promise<unknown> | undefined;
      // As above: the eighth arrives during the view and is in it; the ninth is being written.
      const view = async (viewer: Viewer) => {
        if (late || !fallen) return lens.view(viewer);
        await stage.joins(8, 8);
        const made = await lens.view(viewer);
        stage.log.holding = true;
        late = stage.join("g", "late");
        await turns(2);
        return made;
      };
      stage.hub.watch("game/g", { ...lens, view }, reader, { after: 6, viewer: "ann" as PersonId });
      await turns(30);
      fallen = true;
      reader.isSlow = true;
      reader.backlogBytes = watchLimits.backlogBytesMax + 1;
      await stage.joins(7, 7);
      const { read } = stage.log;
      stage.log.read = async (...args) => {
        const batches = await read.apply(stage.log, args);
        if (stage.log.holding) void release();
        return batches;
      };
      const release = async () => {
        for (let step = 0; step < moment; step++) await undefined;
        stage.log.releaseAll();
      };
      reader.drain();
      await stage.clock.advance(watchLimits.drainCheckMs * 2);
      await until(() => late !== undefined, "the view is requested");
      await answered(late!);
      await turns(30);
      await stage.joins(10, 10);
      assertInOrder(reader, 6, 10, `moment ${moment}: ${reader.versions}`);
      const views = reader.got.slice(1).filter(({ type }) => type === "view");
      assert.ok(views.length > 0, `moment ${moment}: ${texts(reader)}`);
    }
  });

  test("[FD2] a view that cannot be made drops only the viewer who needed it, with a reason", async () => {
    const stage = await peepshow();
    const [there, behind] = [new Reader(), new Reader()];
    stage.look(there, "ann", 1);
    await turns();
    const lens = { ...stage.lens("g"), view: async () => undefined };
    stage.hub.watch("game/g", lens, behind, { after: 0 });
    await turns();
    await stage.joins(2, 2);
    assert.equal(behind.dropped.length, 1);
    assert.equal(there.versions, "view 1 2");
  });
});

/** Every version after `after` once and in order, and views only of what was shown. */
function assertInOrder(
  reader: Reader,
  after: number | undefined,
  head: number,
  about = reader.versions,
): void {
  let cursor = after ?? reader.got[0].version;
  for (const [index, { type, version }] of reader.got.entries()) {
    if (type === "change") assert.equal(version, ++cursor, about);
    else if (index > 0 || after !== undefined) assert.equal(version, cursor, about);
  }
  assert.equal(cursor, head, about);
}
