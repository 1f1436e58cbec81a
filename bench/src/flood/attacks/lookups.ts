import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { download } from "../attackers/download.ts";

const ladder = "long";
const matches = 20_000;
const loops = 60;
const pollMs = 200;

/** One player has many matches, none against the requested opponent, so each lookup searches all of them. */
export const lookups: Attack = {
  name: "lookups",
  about: "60 loops ask how two players did against each other who never met, one with 20,000 matches",
  async prepare({ server }) {
    await server.operate("POST", "/api/v1/ladders", { id: ladder, title: "Long" });
    const rows = Array.from({ length: matches }, (_, index) => ({
      players: ["busy", index === 0 ? "stranger" : `other-${index % 50}`],
      scores: [index % 4, 1],
    }));
    let answer = await server.operate("POST", `/api/v1/ladders/${ladder}/imports`, { matches: rows });
    while ((answer.import as { status: string }).status !== "done") {
      await sleep(pollMs);
      const { id } = answer.import as { id: string };
      answer = await server.operate("GET", `/api/v1/ladders/${ladder}/imports/${id}`);
    }
    return { jobs: [{}] };
  },
  async run(attacker) {
    const path = `/api/v1/ladders/${ladder}/players/busy/against/stranger`;
    await download(attacker, { loops, from: attackerAddress(1), path });
  },
};

export const metrics: Attack = {
  name: "metrics",
  about: "60 loops read the metrics",
  async prepare() {
    return { jobs: [{}] };
  },
  async run(attacker) {
    await download(attacker, { loops, from: attackerAddress(1), path: "/metrics" });
  },
};

const listed = 500;

export const lists: Attack = {
  name: "lists",
  about: "60 loops list 500 arenas, as many as a page can have",
  async prepare({ server }) {
    for (let number = 1; number <= listed; number++)
      await server.operate("POST", "/api/v1/arenas", { title: `Arena ${number}`, game: "tic-tac-toe" });
    return { jobs: [{}] };
  },
  async run(attacker) {
    await download(attacker, { loops, from: attackerAddress(1), path: `/api/v1/arenas?limit=${listed}` });
  },
};
