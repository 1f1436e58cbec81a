// The fastest broadcast that the `ws` package can do in rooms of ten: each message goes to everyone in the room,
// with as many bytes as Openseat would send. It has no rules, no log and no per-viewer views. Runs as its own
// process.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

const bytesAtFirst = 2_000;
const headBytes = 4;
const versionDigits = 9;
const versionAt = '{"type":"change","version":'.length;

type Room = { version: number; readonly members: WebSocket[] };

const rooms = new Map<string, Room>();
let template = templateOf(bytesAtFirst);

/** A change message of the final length, with room for its version. */
function templateOf(frameBytes: number): Buffer {
  const start = `{"type":"change","version":${" ".repeat(versionDigits)},"state":"`;
  return Buffer.from(`${start.padEnd(Math.max(start.length, frameBytes - headBytes - 2), "x")}"}`);
}

const http = createServer();
const server = new WebSocketServer({ server: http });

server.on("connection", (socket, { url = "/" }) => {
  const room = rooms.get(url) ?? { version: 0, members: [] };
  rooms.set(url, room);
  room.members.push(socket);
  socket.on("message", () => {
    const message = Buffer.from(template);
    message.write(String(++room.version), versionAt, "latin1");
    for (const member of room.members) member.send(message, { binary: false });
  });
  socket.on("error", () => socket.terminate());
});

process.on("message", (frameBytes: number) => {
  template = templateOf(frameBytes);
});

http.listen(0, "127.0.0.1", 4096, () => process.send?.((http.address() as AddressInfo).port));

// A benchmark that is killed cannot stop its children, so they exit when the channel closes.
process.on("disconnect", () => process.exit());
