import type { Head, Snapshot, SnapshotPart, StreamName } from "../log.ts";
import { statementsIn } from "../statements.ts";
import type { Connections } from "./connection/connections.ts";

/** Parts that are read or removed in one go: more of them would keep others waiting. */
const partsMax = 4;

const statement = statementsIn(new URL("./sql/snapshots.sql", import.meta.url), { partsMax });

const thisStream = "(SELECT number FROM streams WHERE name = $1)";

/**
 * A snapshot is written part by part, so that appends go on in between. Only its head makes the parts count: a crash before
 * leaves the old one. Several nodes may save at once: each has parts of its own, and the head never goes back.
 */
export class SnapshotTables {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async save(
    stream: StreamName,
    { version, hash, parts }: Head & { readonly parts: Iterable<Uint8Array> },
  ): Promise<void> {
    const [{ saving }] = (await this.#connections.query({ text: "SELECT nextval('savings') AS saving" }))
      .rows;
    let part = 0;
    for (const bytes of parts) {
      await this.#connections.query({
        text: statement("savePart"),
        values: [stream, version, saving, part++, bytes],
      });
    }
    await this.#connections.query({
      text: statement("saveHead"),
      values: [stream, version, hash, saving],
    });
    while (await this.#dropStale(stream));
  }

  /** What is later than the head is another node's, which has not ended. False when there is none left. */
  async #dropStale(stream: StreamName): Promise<boolean> {
    const { rowCount } = await this.#connections.query({
      text: statement("dropStale"),
      values: [stream],
    });
    return rowCount === partsMax;
  }

  async load(stream: StreamName): Promise<Snapshot | undefined> {
    for (;;) {
      const head = await this.#head(stream);
      if (!head) return undefined;
      const parts = await this.#parts(head);
      const now = await this.#head(stream);
      // Another node may have replaced it meanwhile, and removed the parts that were still to be read.
      if (now?.saving === head.saving) return { version: head.version, hash: head.hash, parts };
    }
  }

  async version(stream: StreamName): Promise<number> {
    return (await this.#head(stream))?.version ?? 0;
  }

  async part(stream: StreamName, part: number): Promise<SnapshotPart | undefined> {
    const { rows } = await this.#connections.query({
      text: statement("part"),
      values: [stream, part],
    });
    return rows[0];
  }

  async #head(stream: StreamName): Promise<(Head & { stream: number; saving: number }) | undefined> {
    const { rows } = await this.#connections.query({
      text: `SELECT stream, version, hash, saving FROM snapshots WHERE stream = ${thisStream}`,
      values: [stream],
    });
    return rows[0];
  }

  async #parts({
    stream,
    version,
    saving,
  }: Head & { stream: number; saving: number }): Promise<Uint8Array[]> {
    const all: Uint8Array[] = [];
    for (;;) {
      const { rows } = await this.#connections.query({
        text: statement("parts"),
        values: [stream, version, saving, all.length],
      });
      all.push(...rows.map(({ bytes }) => bytes));
      if (rows.length < partsMax) return all;
    }
  }
}
