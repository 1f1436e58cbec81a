// What Node's own HTTP server does at its best with a JSON POST: the measure for Openseat, run as a process of its own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const idleMaxMs = 10 * 60 * 1000;

let answered = 0;

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    const asked = JSON.parse(text) as { game: string; title: string };
    const body = JSON.stringify(answer(asked.game, asked.title, ++answered));
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});

/** Of the shape and size of a join's answer. */
function answer(id: string, title: string, position: number): object {
  return {
    success: true,
    message: "You are in.",
    data: {
      game: {
        id,
        title,
        status: "OPEN",
        currentPlayers: position,
        maxPlayers: 1_000_000,
        availableSlots: 1_000_000 - position,
        waitlist: false,
        waiting: 0,
        endTime: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        yourPosition: position,
      },
      participant: {
        id: `${id}-${position}`,
        userId: `p${position}`,
        joinedAt: "2026-01-01T00:00:00.000Z",
        status: "ACTIVE",
      },
    },
  };
}

server.keepAliveTimeout = idleMaxMs;
server.listen(0, "127.0.0.1", 4096, () => process.send?.((server.address() as AddressInfo).port));

// A benchmark that was killed outright can end nobody.
process.on("disconnect", () => process.exit());
