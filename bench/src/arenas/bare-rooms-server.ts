// What the `ws` package does at its best with rooms of ten: whatever one says, all of the room are sent as many bytes as
// Openseat would send them. No rules, no log, no views of one's own. Run as a process of its own.
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

/** A change whose version is still to be written, with its frame as long as it is to be. */
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

// A benchmark that was killed outright can end nobody.
process.on("disconnect", () => process.exit());
