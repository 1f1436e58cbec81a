import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { type Attacker, attackerAddress } from "../attackers/attacker.ts";
import { download } from "../attackers/download.ts";
import { requestText } from "../attackers/hammer.ts";
import type { Stage } from "../stage/stage.ts";

const matchesPerImport = 50_000;
const loops = 4;
const readers = 32;
const readersPerAddress = 4;
const pollMs = 200;
const beforeReconnectMs = 100;

const bigLadder = "big";
const smallLadder = "small";

/** Fills the ladder with players through imports: two new ones per match. */
async function fillLadder(stage: Stage, id: string, players: number): Promise<void> {
  const { server } = stage;
  await server.operate("POST", "/api/v1/ladders", { id, title: `A ladder of ${players}` });
  for (let first = 0; first < players; first += 2 * matchesPerImport) {
    const matches = Array.from({ length: Math.min(matchesPerImport, (players - first) / 2) }, (_, index) => ({
      players: [`player-${first + 2 * index}`, `player-${first + 2 * index + 1}`],
      scores: [index % 7, index % 3],
    }));
    let answer = await server.operate("POST", `/api/v1/ladders/${id}/imports`, { matches });
    while ((answer.import as { status: string }).status !== "done") {
      await sleep(pollMs);
      const { id: number } = answer.import as { id: string };
      answer = await server.operate("GET", `/api/v1/ladders/${id}/imports/${number}`);
    }
  }
}

function exportPath(ladder: string, format: "csv" | "json"): string {
  return `/api/v1/ladders/${ladder}/export?what=standings&format=${format}`;
}

export const exportLoops: Attack = {
  name: "exports",
  about: "4 loops of standings of a ladder with 200,000 players, exported anonymously",
  async prepare(stage) {
    await fillLadder(stage, bigLadder, 200_000);
    return { jobs: [{}] };
  },
  async run(attacker) {
    await download(attacker, { loops, from: attackerAddress(1), path: exportPath(bigLadder, "csv") });
  },
};

export const exportUnread: Attack = {
  name: "exports-unread",
  about: "32 exports from 8 addresses that are never read, while polite people export a small ladder",
  async prepare(stage) {
    await fillLadder(stage, bigLadder, 60_000);
    await fillLadder(stage, smallLadder, 10);
    return {
      jobs: [{}],
      async alsoPolite(ask, guest) {
        await ask(guest, "export", "GET", exportPath(smallLadder, "csv"));
      },
    };
  },
  async run(attacker) {
    await Promise.all(Array.from({ length: readers }, (_, number) => exportUnreadAgain(attacker, number)));
  },
};

async function exportUnreadAgain(attacker: Attacker, number: number): Promise<void> {
  const target = attacker.from(attackerAddress(1 + Math.floor(number / readersPerAddress)));
  while (!attacker.isOver) {
    await new Promise<void>((resolve) => {
      const socket = connect(target);
      socket.pause();
      socket.on("connect", () => {
        attacker.opened();
        socket.write(requestText("GET", exportPath(bigLadder, "json")));
      });
      socket.on("error", (error) => attacker.cut(error));
      socket.on("close", resolve);
      void attacker.over().then(() => socket.destroy());
    });
    await attacker.pause(beforeReconnectMs);
  }
}
