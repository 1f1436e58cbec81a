import assert from "node:assert/strict";
import { type Answer, range } from "../support/http.ts";
import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";
import { tokenOf } from "../support/tokens.ts";
import { Cluster, type Node } from "./cluster.ts";

const { test } = testsNeeding(missingPostgres);

const people = 12;

/** Acts like a proxy: it avoids nodes that are about to stop, and retries a failed request once on another node. */
class Balancer {
  readonly #nodes: readonly Node[];
  readonly draining = new Set<Node>();
  retried = 0;
  #turn = 0;

  constructor({ nodes }: Cluster) {
    this.#nodes = nodes;
  }

  async send(path: string, person: string, key: string): Promise<Answer> {
    const ask = async (node: Node) => node.client.post(path, { token: tokenOf(person), key });
    const first = this.#next();
    const answer = await ask(first).catch(() => undefined);
    if (answer && answer.status !== 503) return answer;
    this.retried++;
    return ask(this.#next(first));
  }

  #next(besides?: Node): Node {
    const open = this.#nodes.filter((node) => node !== besides && !this.draining.has(node));
    return open[this.#turn++ % open.length];
  }
}

test("[CL3] [CL4] a rolling restart of three nodes under load: no request fails after one retry", async (context) => {
  const cluster = await Cluster.start(3);
  try {
    const game = await cluster.nodes[0].client.newGame({ maxPlayers: people });
    const balancer = new Balancer(cluster);
    let isOver = false;
    let done = 0;
    const comeAndGo = async (person: string) => {
      for (let round = 0; !isOver; round++) {
        for (const what of ["join", "leave"]) {
          const key = `${person} ${what} ${round}`;
          const answer = await balancer.send(`/api/v1/games/${game}/${what}`, person, key);
          assert.equal(answer.status, 200, `${key}: ${answer.status} ${answer.text}`);
          done++;
        }
      }
    };
    const load = Promise.all(range(people).map((index) => comeAndGo(`p${index}`)));
    const rolling = (async () => {
      for (const node of cluster.nodes) {
        // Stop the first node without notifying the proxy.
        if (node !== cluster.nodes[0]) balancer.draining.add(node);
        const { code } = await node.stop();
        assert.equal(code, 0, node.said);
        balancer.draining.add(node);
        await node.start();
        balancer.draining.delete(node);
      }
    })();
    await Promise.race([rolling, load]);
    await rolling;
    isOver = true;
    await load;
    const { version, game: seen } = await cluster.nodes[1].client.look(game);
    assert.deepEqual([version, seen.currentPlayers], [done + 1, 0]);
    context.diagnostic(`${done} requests, ${balancer.retried} of them sent again`);
  } finally {
    await cluster.close();
  }
});
