import type { Millis } from "@openseat/kernel";
import { LogUnavailable, LogUnusable, type StreamName } from "../log.ts";
import {
  type ClusterState,
  type RemoteHeartbeats,
  type Sharing,
  type StreamAdvanced,
  sharingLimits,
} from "../sharing.ts";
import { statementsIn } from "../statements.ts";
import type { Connections, Dedicated } from "./connection/connections.ts";
import { Hints } from "./hints.ts";
import { assertUsable, rowsLacking, type Schema } from "./schema.ts";

/** Nodes without a heartbeat for this long are removed. */
const forgottenAfterMs = 60_000;

const { goneAfterMs, leaderMs, outageMs } = sharingLimits;

const statement = statementsIn(new URL("./sql/heartbeats.sql", import.meta.url), {
  ...{ leaderMs, forgottenAfterMs, goneAfterMs, outageMs },
});

interface HeartbeatRow extends Pick<ClusterState, "at" | "servedSince" | "isLeader" | "server">, Schema {
  readonly names: readonly string[] | null;
  readonly reportedUntil: readonly (string | number)[] | null;
  readonly streams: readonly StreamName[] | null;
  readonly pages: readonly Uint8Array[] | null;
}

/** How several nodes share one database: row locks, notifications, and one row with the state of the cluster. */
export class PostgresSharing implements Sharing {
  readonly #connections: Connections;
  readonly #line: Dedicated;
  readonly #node: string;
  readonly #hints: Hints;

  constructor(connections: Connections, node: string) {
    this.#connections = connections;
    this.#line = connections.dedicated();
    this.#node = node;
    this.#hints = new Hints(this.#line, node);
  }

  announce(advanced: readonly StreamAdvanced[]): void {
    this.#hints.announce(advanced);
  }

  listen(onAdvanced: (advanced: readonly StreamAdvanced[] | undefined) => void): void {
    this.#hints.listen(onAdvanced);
  }

  async heartbeat(heartbeats: readonly RemoteHeartbeats[]): Promise<ClusterState> {
    const streams = heartbeats.map(({ stream }) => stream);
    const pages = heartbeats.map(({ pages }) =>
      Buffer.from(pages.buffer, pages.byteOffset, pages.byteLength),
    );
    const session = await this.#line.session();
    const values = [this.#node, streams, pages];
    const [row]: readonly HeartbeatRow[] = await session.rows(statement("heartbeat"), values);
    if (!row) throw new LogUnavailable(rowsLacking);
    this.#assertUsable(row);
    const { at, servedSince, isLeader, server } = row;
    const others = othersIn(row);
    this.#hints.isAlone = others.size === 0;
    return { at, servedSince, isLeader, others, heartbeats: heartbeatsIn(row), server };
  }

  async leave(): Promise<void> {
    const session = await this.#line.session();
    await session.query(statement("leave"), [this.#node]);
  }

  /** Call it before the connections are closed. */
  close(): void {
    this.#hints.close();
  }

  /** A newer server has changed the tables. This one could corrupt them, so it stops using the database. */
  #assertUsable(schema: Schema): void {
    try {
      assertUsable(schema);
    } catch (error) {
      if (error instanceof LogUnusable) this.#connections.refuse(error);
      throw error;
    }
  }
}

function othersIn({ names, reportedUntil }: HeartbeatRow): Map<string, Millis> {
  return new Map(names?.map((name, index) => [name, Number(reportedUntil![index]) as Millis]));
}

function heartbeatsIn({ streams, pages }: HeartbeatRow): RemoteHeartbeats[] {
  return streams?.map((stream, index) => ({ stream, pages: pages![index] })) ?? [];
}
