import { once } from "node:events";
import type { Socket } from "node:net";
import { connectWebSocket } from "../../ws-connect.ts";
import { controlFrame, opcodes, textFrame } from "../../ws-frames.ts";
import { livePath } from "../../ws-load.ts";
import type { Attack } from "../attack.ts";
import { type Attacker, attackerAddress } from "../attackers/attacker.ts";

const connections = 8;
const framesPerWrite = 2_000;
const beforeReconnectMs = 100;

type Frame = "ping" | "message";
type Job = { readonly frame: Frame; readonly reads: boolean };

function webSocketAttack(name: string, about: string, job: Job): Attack<Job> {
  return {
    name,
    about,
    prepare: async () => ({ jobs: [job] }),
    async run(attacker, job) {
      await Promise.all(Array.from({ length: connections }, () => pingAgain(attacker, job)));
    },
  };
}

/** Opens a WebSocket, writes as fast as the server reads, and reconnects when cut off. */
async function pingAgain(attacker: Attacker, { frame, reads }: Job): Promise<void> {
  const bytes = Buffer.concat(Array.from({ length: framesPerWrite }, () => frameOf(frame)));
  while (!attacker.isOver) {
    let isCut = false;
    const events = {
      received() {},
      failed() {
        isCut = true;
      },
    };
    try {
      const socket = await connectWebSocket(attacker.from(attackerAddress(1)), livePath, events);
      attacker.opened();
      if (!reads) socket.pause();
      void attacker.over().then(() => socket.destroy());
      while (!attacker.isOver && !isCut) {
        if (!socket.write(bytes)) await drained(socket);
        attacker.count(`${frame}s`, framesPerWrite);
      }
      attacker.cut();
    } catch (error) {
      attacker.cut(error as Error);
    }
    await attacker.pause(beforeReconnectMs);
  }
}

/** Waits until the server has accepted everything written, or the connection is closed. */
async function drained(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  const end = new AbortController();
  const { signal } = end;
  await Promise.race([once(socket, "drain", { signal }), once(socket, "close", { signal })]).catch(() => {});
  end.abort();
}

function frameOf(frame: Frame): Buffer {
  return frame === "ping"
    ? controlFrame(opcodes.ping, Buffer.from("flood"))
    : textFrame('{"id":1,"type":"ping"}');
}

export const wsPings = webSocketAttack(
  "ws-pings",
  "8 anonymous WebSockets send protocol pings as fast as they can",
  { frame: "ping", reads: true },
);
export const wsMessages = webSocketAttack(
  "ws-messages",
  "8 anonymous WebSockets send ping messages as fast as they can",
  { frame: "message", reads: true },
);
export const wsUnread = webSocketAttack(
  "ws-unread",
  "8 anonymous WebSockets send protocol pings and never read the answers",
  { frame: "ping", reads: false },
);
