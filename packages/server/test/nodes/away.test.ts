import assert from "node:assert/strict";
import { EventClient, LiveClient, type Watching } from "../live/clients.ts";
import { assertRefused, type Call, eachOf, type Json, range, until } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { tokenOf } from "../support/tokens.ts";
import { Cluster, type Node } from "./cluster.ts";

const { after, before, suite, test } = testsNeeding(missingPostgres);

/** Longer than a frozen node or a dead database may delay anyone, and shorter than anything here lasts. */
const waitMsMax = 60_000;

/** A watcher that is disconnected because nothing can be read reconnects from the last version seen. */
abstract class Watcher {
  readonly seen: Json[] = [];
  protected readonly node: Node;
  protected readonly game: string;
  #watching: Watching | undefined;

  constructor(node: Node, game: string) {
    this.node = node;
    this.game = game;
  }

  async hasSeen(version: number): Promise<boolean> {
    for (const message of this.#watching?.feed ?? [])
      if (message.version > this.last) this.seen.push(message);
    if (this.#watching === undefined || this.isGone())
      this.#watching = await this.open().catch(() => undefined);
    return this.last >= version;
  }

  protected get last(): number {
    return this.seen.at(-1)?.version ?? 0;
  }

  protected get after(): { after?: number } {
    return this.last === 0 ? {} : { after: this.last };
  }

  protected abstract open(): Promise<Watching>;
  protected abstract isGone(): boolean;

  close(): void {
    this.#watching?.close();
  }
}

class SocketWatcher extends Watcher {
  #client: LiveClient | undefined;

  protected async open(): Promise<Watching> {
    this.#client = await LiveClient.open(this.node.url);
    await this.#client.ask({ type: "watch", game: this.game, ...this.after });
    return this.#client;
  }

  protected isGone(): boolean {
    return this.#client!.socket.readyState !== this.#client!.socket.OPEN;
  }
}

class EventWatcher extends Watcher {
  #client: EventClient | undefined;

  protected async open(): Promise<Watching> {
    this.#client = await EventClient.open(this.node.url, this.game, this.after);
    return this.#client;
  }

  protected isGone(): boolean {
    return this.#client!.response.closed;
  }
}

suite("when a node freezes or PostgreSQL is unavailable", () => {
  let cluster: Cluster;
  let a: Node;
  let b: Node;
  before(async () => {
    cluster = await Cluster.start(2, { isCrashed: true });
    [a, b] = cluster.nodes;
  });
  after(() => cluster?.close());

  const isReady = async ({ client }: Node) => (await client.get("/readyz")).status === 200;

  test("[CL3] a node that freezes during its commit does not block the other, and nothing is done twice", async () => {
    const game = await a.client.newGame({ maxPlayers: 100 });
    await b.client.look(game);
    // Slow enough to be frozen between the two round trips of a commit, with the game locked.
    a.relay.delay(250);
    const joining = a.client.join(game, "ann", "ann's").catch(() => undefined);
    await until("the turn", async () => {
      const [{ n }] = await cluster.postgres.run(
        "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE state = 'idle in transaction'",
      );
      return Number(n) > 0;
    });
    a.freeze();
    try {
      const answer = await b.client.post(`/api/v1/games/${game}/join`, {
        token: tokenOf("bob"),
        timeoutMs: waitMsMax,
      });
      assert.equal(answer.status, 200, answer.text);
    } finally {
      a.thaw();
      a.relay.heal();
    }
    const first = await joining;
    const again = await b.client.join(game, "ann", "ann's");
    assert.equal(again.status, 200, again.text);
    if (first?.status === 200) assert.equal(again.text, first.text);
    await until("both to agree", async () => {
      const looks = await Promise.all([a, b].map(({ client }) => client.look(game)));
      return looks.every(({ version }) => version === 3) && looks;
    });
    for (const { client } of [a, b]) assert.equal((await client.look(game)).game.currentPlayers, 2);
  });

  test("[CL4] while PostgreSQL is unavailable, everything that needs it is refused with 503 and Retry-After, and recovers by itself", async () => {
    const { operatorKey } = await cluster.keys();
    const game = await a.client.newGame({ maxPlayers: 100 });
    const token = tokenOf("ann");
    const made = await a.client.post("/api/v1/queues", {
      token: operatorKey,
      body: { id: "away", title: "Away", maxActive: 1 },
    });
    assert.equal(made.status, 201, made.text);
    const entered = await b.client.post("/api/v1/queues/away/positions", { token });
    const { id } = entered.body.data.position;
    const watchers = [new SocketWatcher(a, game), new EventWatcher(b, game)];
    for (const watcher of watchers) await until("a first view", () => watcher.hasSeen(1));
    // Entries read since the latest heartbeat may be lost with the server, and would be shown again (CL6).
    await cluster.nextHeartbeats();

    await cluster.postgres.kill();
    const asks: readonly [string, Call][] = [
      [`/api/v1/games/${game}/join`, { method: "POST", token, key: "while it was away" }],
      [`/api/v1/games/${game}`, {}],
      [`/api/v1/games/${game}/can-join`, { token }],
      [`/api/v1/games/${game}/participants`, {}],
      ["/api/v1/games", {}],
      ["/api/v1/games", { method: "POST", token, body: { title: "Another", maxPlayers: 2 } }],
      ["/api/v1/queues/away/positions", { method: "POST", token: tokenOf("bob") }],
      [`/api/v1/positions/${id}`, { token }],
      [`/api/v1/positions/${id}/heartbeat`, { method: "POST", token }],
      ["/api/v1/queues/away/stats", {}],
      ["/api/v1/arenas", {}],
      ["/api/v1/ladders", {}],
      ["/api/v1/duels", { token }],
    ];
    for (const { client } of [a, b]) {
      for (const [path, call] of asks) {
        const answer = await client.call(path, { ...call, timeoutMs: waitMsMax });
        assertRefused(answer, 503, "log.unavailable", path);
        assert.equal(answer.body.retryable, true, path);
      }
      const readyz = await client.get("/readyz");
      assert.equal(readyz.status, 503, readyz.text);
      assert.equal((await client.get("/healthz")).status, 200);
    }

    await cluster.postgres.restart();
    for (const node of [a, b]) await until("a ready node", () => isReady(node));
    const joined = await until("a join that is taken", async () => {
      const answer = await b.client.join(game, "ann", "while it was away");
      return answer.status === 200 && answer;
    });
    assert.equal(joined.headers["idempotent-replayed"], undefined, "it had not taken effect before");
    const { version } = await a.client.look(game);
    assert.equal(version, 2);
    for (const watcher of watchers) {
      await until("the watcher to see the join", () => watcher.hasSeen(version));
      const seen = JSON.stringify(watcher.seen);
      const joins: Json[] = watcher.seen.filter((it) => it.version === version);
      assert.equal(joins.length, 1, seen);
      assert.equal(watcher.seen.length, 2, seen);
      // CL6: a node that reloaded the room while it recovered shows the whole room again instead of the change.
      const [{ type, changes, game: shown }] = joins;
      if (type === "view") assert.equal(shown.currentPlayers, 1, seen);
      else assert.equal(changes[0].type, "player-joined", seen);
      watcher.close();
    }
  });

  test("[CL4] a node without a network refuses and is not ready while the other serves, and recovers with the network", async () => {
    const game = await a.client.newGame({ maxPlayers: 100 });
    a.relay.swallow();
    try {
      await until("a node that is not ready", async () => !(await isReady(a)));
      const refused = await a.client.post(`/api/v1/games/${game}/join`, { token: tokenOf("ann"), key: "k" });
      assertRefused(refused, 503, "log.unavailable");
      assert.equal((await b.client.join(game, "bob")).status, 200);
    } finally {
      a.relay.heal();
    }
    await until("a ready node", () => isReady(a));
    const joined = await until("a join", async () => {
      const answer = await a.client.join(game, "ann", "k");
      return answer.status === 200 && answer;
    });
    assert.ok(joined);
    for (const { client } of [a, b]) assert.equal((await client.look(game)).game.currentPlayers, 2);
  });

  test("[CL3] with connections breaking repeatedly, a request repeated with its key is done once", async () => {
    const game = await a.client.newGame({ maxPlayers: 100 });
    await eachOf(range(20), 5, (index) =>
      until(`the join of p${index}`, async () => {
        const { client } = index % 2 === 0 ? a : b;
        const answer = await client.join(game, `p${index}`, `key ${index}`);
        assert.ok([200, 503].includes(answer.status), answer.text);
        // During requests to the others, and only now, so that some request has been answered.
        if (answer.status === 200) for (const { relay } of [a, b]) relay.cut();
        return answer.status === 200;
      }),
    );
    await until("a ready node", () => isReady(b));
    const { version, game: seen } = await b.client.look(game);
    assert.deepEqual([version, seen.currentPlayers], [21, 20]);
  });
});
