import type { Head, Log } from "../log.ts";
import { statementsIn } from "../statements.ts";
import type { Connections } from "./connection/connections.ts";

/** Parts that are read or deleted at a time. More would delay other calls. */
const partsMax = 4;

const statement = statementsIn(new URL("./sql/snapshots.sql", import.meta.url), { partsMax });

type SavedHead = Head & { readonly stream: number; readonly saving: number };

/**
 * Snapshots are written part by part, so that appends continue in between. Only the head makes the parts valid: a crash before
 * keeps the old snapshot. Several nodes may save at once: each writes its own parts, and the head never goes back.
 */
export function snapshotsOn(connections: Connections) {
  const headOf = async (stream: string): Promise<SavedHead | undefined> =>
    (await connections.rows(statement("head"), [stream]))[0];

  const partsOf = async ({ stream, version, saving }: SavedHead): Promise<Uint8Array[]> => {
    const all: Uint8Array[] = [];
    for (;;) {
      const rows = await connections.rows(statement("parts"), [stream, version, saving, all.length]);
      all.push(...rows.map(({ bytes }) => bytes));
      if (rows.length < partsMax) return all;
    }
  };

  return {
    async saveSnapshot(stream, { version, hash, parts }) {
      const [{ saving }] = await connections.rows("SELECT nextval('savings') AS saving");
      let part = 0;
      for (const bytes of parts)
        await connections.query(statement("savePart"), [stream, version, saving, part++, bytes]);
      await connections.query(statement("saveHead"), [stream, version, hash, saving]);
      // Parts newer than the head belong to another node that is still saving.
      while ((await connections.query(statement("dropStale"), [stream])).rowCount === partsMax);
    },

    async loadSnapshot(stream) {
      for (;;) {
        const head = await headOf(stream);
        if (!head) return undefined;
        const parts = await partsOf(head);
        // Another node may have replaced the snapshot meanwhile, and deleted parts that were not read yet.
        if ((await headOf(stream))?.saving === head.saving)
          return { version: head.version, hash: head.hash, parts };
      }
    },

    async snapshotVersion(stream) {
      return (await headOf(stream))?.version ?? 0;
    },

    async snapshotPart(stream, part) {
      return (await connections.rows(statement("part"), [stream, part]))[0];
    },
  } satisfies Partial<Log>;
}
