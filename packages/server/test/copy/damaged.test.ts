import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe } from "node:test";
import { FolderSecrets } from "../../src/config/folder-secrets.ts";
import { addressFrom, openEnds } from "../../src/copy/addresses.ts";
import { CopyFailed, copyLog } from "../../src/copy/copy-log.ts";
import type { Target } from "../../src/copy/ends.ts";
import { Progress } from "../../src/copy/progress.ts";
import { LogUnavailable, LogUnusable } from "../../src/log/log.ts";
import { tempFolder } from "../support/folder.ts";
import { testsNeeding } from "../support/needs.ts";
import { crowdIn } from "./crowd.ts";
import { kinds, missingFor, type Place } from "./places.ts";
import { copied, queried } from "./stores.ts";

/** Changes a store from outside. */
async function change({ address }: Place, sql: string): Promise<void> {
  if (address.startsWith("postgres:")) return void (await queried(address, sql));
  const db = new DatabaseSync(join(address.slice("sqlite:".length), "openseat.db"), {
    enableForeignKeyConstraints: false,
  });
  db.exec(sql);
  db.close();
}

interface Harm {
  readonly what: string;
  readonly sql: string;
  readonly undo: string;
  /** The expected message. */
  readonly told: RegExp;
}

const batch = "WHERE stream = 7 AND first = 4";
const harms: readonly Harm[] = [
  {
    what: "a byte of an entry",
    sql: `UPDATE batches SET lines = 'X' || substr(lines, 2) ${batch}`,
    undo: `UPDATE batches SET lines = '{' || substr(lines, 2) ${batch}`,
    told: /^The source is damaged\. In game\/s7, entries 4 to 6 do not match their stored hash\. /,
  },
  {
    what: "a batch that is gone from its place",
    sql: `UPDATE batches SET first = first + 1000 ${batch}`,
    undo: "UPDATE batches SET first = 4 WHERE stream = 7 AND first = 1004",
    told: /^The source is damaged\. In game\/s7, entry 4 is missing: the next batch begins with 7\. /,
  },
  {
    what: "a head that is further than the entries",
    sql: "UPDATE streams SET version = version + 1 WHERE number = 50",
    undo: "UPDATE streams SET version = version - 1 WHERE number = 50",
    told: /^The source is damaged\. game\/s50 has entries up to 199, which do not match its head \(entry 200\)\. /,
  },
  {
    what: "entries without a stream",
    sql: "UPDATE streams SET version = -version WHERE number = 50",
    undo: "UPDATE streams SET version = -version WHERE number = 50",
    told: /^The source is damaged\. There are entries of a missing stream 50\. /,
  },
];

for (const [kind, newPlace] of Object.entries(kinds)) {
  describe(`a damaged source log on ${kind}`, () => {
    const { after, before, test } = testsNeeding(missingFor(kind));
    const home = tempFolder();
    let source: Place;
    before(async () => {
      await crowdIn(home.path);
      source = await newPlace();
      assert.equal((await copied(`sqlite:${home.path}`, source.address)).code, 0);
    });
    after(async () => {
      home.remove();
      await source?.remove();
    });

    for (const { what, sql, undo, told } of harms)
      test(`[LG7] ${what}: the damage is named, and no server starts on the copy`, async () => {
        const target = await kinds.SQLite();
        await change(source, sql);
        const { code, stdout, stderr } = await copied(source.address, target.address);
        await change(source, undo);
        assert.deepEqual([code, stdout], [1, ""]);
        assert.match(stderr.split("\n").at(-2)!, told);
        assert.match(
          stderr,
          /is incomplete, and no server starts on it\. Run the same command again to restart it\.\n$/,
        );
        await assert.rejects(target.open(), LogUnusable);
        assert.equal((await copied(source.address, target.address)).code, 0);
        await target.remove();
      });
  });
}

/** A copy that is damaged after everything is written and before it is verified. */
async function slipping(home: string, to: Place, slip: () => Promise<void>): Promise<void> {
  const { source, target } = await openEnds(
    addressFrom(`sqlite:${home}`)!,
    addressFrom(to.address)!,
    undefined,
  );
  const written: Target["continueAfter"] = target.continueAfter.bind(target);
  target.continueAfter = async (number) => {
    await written(number);
    await slip();
  };
  try {
    const progress = new Progress(await source.totals(), { write() {} }, () => 0);
    await copyLog(source, target, { progress, signal: undefined });
  } finally {
    await source.close();
    await target.close();
  }
}

/** What a disk or a person may do to the copy before it is read back. */
const slips: Readonly<Record<string, readonly [sql: string, told: RegExp]>> = {
  "a byte of an entry": [harms[0].sql, /In game\/s7, entries 4 to 6 do not match their stored hash\.$/],
  "a stream's summary": [
    "UPDATE streams SET summary = '{}' WHERE number = 9",
    /differs from its source in: streams\.$/,
  ],
  "a row too few": [
    "DELETE FROM outbox WHERE number = 7",
    /differs from its source in: outbox \(1 rows instead of 2\)\.$/,
  ],
  "a part of a snapshot": [
    "DELETE FROM snapshot_parts WHERE part = 1",
    /differs from its source in: snapshot_parts \(1 rows instead of 2\)\.$/,
  ],
};

for (const [kind, newPlace] of Object.entries(kinds)) {
  describe(`a copy to ${kind} that differs from its source`, () => {
    const { after, before, test } = testsNeeding(missingFor(kind));
    const home = tempFolder();
    before(() => crowdIn(home.path));
    after(home.remove);

    for (const [what, [sql, told]] of Object.entries(slips))
      test(`[LG7] ${what}: the difference is detected, and no server starts on it`, async () => {
        const place = await newPlace();
        await assert.rejects(
          slipping(home.path, place, () => change(place, sql)),
          (error: Error) => {
            assert.ok(error instanceof CopyFailed);
            assert.match(error.message, /^The copy differs from its source(\.| in:) /);
            assert.match(error.message, told);
            return true;
          },
        );
        await assert.rejects(place.open(), LogUnusable);
        await place.remove();
      });

    test("[LG7] a changed counter or foreign secrets are detected too", async () => {
      const place = await newPlace();
      const isFolder = place.address.startsWith("sqlite:");
      const slip = async () => {
        const secrets = {
          guestSecret: "x".repeat(16),
          operatorKey: "y".repeat(16),
          serviceKey: "z".repeat(16),
        };
        if (isFolder) {
          await change(place, "UPDATE sqlite_sequence SET seq = 100");
          await new FolderSecrets(place.address.slice("sqlite:".length)).make("secrets", secrets);
        } else {
          await change(place, "SELECT setval('outbox_number_seq', 100)");
          await change(place, `INSERT INTO secrets VALUES ('secrets', '${JSON.stringify(secrets)}')`);
        }
      };
      await assert.rejects(
        slipping(home.path, place, slip),
        /differs from its source in: the counter of the outbox; the secrets\.$/,
      );
      await assert.rejects(place.open(), LogUnusable);
      await place.remove();
    });
  });
}

const { test } = testsNeeding(missingFor("PostgreSQL"));

test("[LG7] a database that fails midway gives a sentence, and the next copy succeeds", async () => {
  const [home, place] = [tempFolder(), await kinds.PostgreSQL()];
  await crowdIn(home.path);
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await assert.rejects(
    slipping(home.path, place, () => change(place, cut)),
    (error: Error) => error instanceof LogUnavailable && /^The database [^\n]+\.$/.test(error.message),
  );
  await assert.rejects(place.open(), LogUnusable);
  assert.equal((await copied(`sqlite:${home.path}`, place.address)).code, 0);
  home.remove();
  await place.remove();
});
