import type { Millis } from "@openseat/kernel";
import { LogUnavailable, LogUnusable, type StreamName } from "../log.ts";
import { type Beat, type Heard, sharingLimits } from "../sharing.ts";
import { statementsIn } from "../statements.ts";
import type { Connections, Dedicated } from "./connection/connections.ts";
import { assertUsable, rowsLacking, type Schema } from "./schema.ts";

/** Nodes of which nothing was heard for so long are forgotten. */
const forgottenAfterMs = 60_000;

const { goneAfterMs, caretakerMs, outageMs } = sharingLimits;

const statement = statementsIn(new URL("./sql/beats.sql", import.meta.url), {
  caretakerMs,
  forgottenAfterMs,
  goneAfterMs,
  outageMs,
});

/**
 * Everything in one statement: the parts see the tables as they were before it, and each other only by what they return.
 * Nodes take turns at the one row of `service`, and the time is taken when it is had: who was kept waiting has not been
 * silent. Times far ahead are from before the clock was set back, and count for nothing.
 */
const beating = statement("beat");

interface BeatRow extends Pick<Beat, "at" | "servedSince" | "isCaretaker" | "server">, Schema {
  readonly names: readonly string[] | null;
  readonly toldUntil: readonly (string | number)[] | null;
  readonly streams: readonly StreamName[] | null;
  readonly pages: readonly Uint8Array[] | null;
}

/** One node's word that it is there, and how things stand among all. */
export class Beats {
  readonly #connections: Connections;
  readonly #line: Dedicated;
  readonly #node: string;

  constructor(connections: Connections, line: Dedicated, node: string) {
    this.#connections = connections;
    this.#line = line;
    this.#node = node;
  }

  async beat(heard: readonly Heard[]): Promise<Beat> {
    const streams = heard.map(({ stream }) => stream);
    const pages = heard.map(({ pages }) => Buffer.from(pages.buffer, pages.byteOffset, pages.byteLength));
    const session = await this.#line.session();
    const { rows } = await session.query({ text: beating, values: [this.#node, streams, pages] });
    const row: BeatRow | undefined = rows[0];
    if (!row) throw new LogUnavailable(rowsLacking);
    this.#assertUsable(row);
    const { at, servedSince, isCaretaker, server } = row;
    return { at, servedSince, isCaretaker, others: othersIn(row), heard: heardIn(row), server };
  }

  async leave(): Promise<void> {
    const session = await this.#line.session();
    await session.query({ text: statement("leave"), values: [this.#node] });
  }

  /** What a newer server has made of the tables, this one would spoil: from then on it asks nothing of them. */
  #assertUsable(schema: Schema): void {
    try {
      assertUsable(schema);
    } catch (error) {
      if (error instanceof LogUnusable) this.#connections.refuse(error);
      throw error;
    }
  }
}

function othersIn({ names, toldUntil }: BeatRow): Map<string, Millis> {
  return new Map(names?.map((name, index) => [name, Number(toldUntil![index]) as Millis]));
}

function heardIn({ streams, pages }: BeatRow): Heard[] {
  return streams?.map((stream, index) => ({ stream, pages: pages![index] })) ?? [];
}
