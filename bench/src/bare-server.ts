// The fastest JSON POST that Node's own HTTP server can serve: the baseline for Openseat. Runs as its own process.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { joinAnswer } from "./join-answer.ts";

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
    const body = JSON.stringify(joinAnswer(asked.game, asked.title, ++answered));
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});

server.keepAliveTimeout = idleMaxMs;
server.listen(0, "127.0.0.1", 4096, () => process.send?.((server.address() as AddressInfo).port));

// A benchmark that is killed cannot stop its children, so they exit when the channel closes.
process.on("disconnect", () => process.exit());
