import { request } from "node:http";
import type { Attacker } from "./attacker.ts";

/** Pause after refusals: they are cheap to cause, and thousands of them would be a different attack. */
const afterRefusalMs = 50;

export type Download = { readonly loops: number; readonly from: string; readonly path: string };

/** Requests the same long answer repeatedly, in several loops, until the attack is over. */
export async function download(attacker: Attacker, what: Download): Promise<void> {
  await Promise.all(Array.from({ length: what.loops }, () => downloadAgain(attacker, what)));
}

async function downloadAgain(attacker: Attacker, what: Download): Promise<void> {
  while (!attacker.isOver) {
    const status = await downloadOnce(attacker, what);
    attacker.count(status);
    if (status !== 200) await attacker.pause(afterRefusalMs);
  }
}

/** Reads the whole answer and discards it. Returns the status, or the error. */
function downloadOnce(attacker: Attacker, { from, path }: Download): Promise<number | string> {
  return new Promise((resolve) => {
    const outgoing = request({ ...attacker.from(from), path, agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode as number));
      response.on("error", () => resolve("incomplete answer"));
      response.on("close", () => resolve("incomplete answer"));
    });
    outgoing.on("socket", (socket) => socket.once("connect", () => attacker.opened()));
    outgoing.on("error", (error) => {
      attacker.cut(error);
      resolve("no answer");
    });
    void attacker.over().then(() => outgoing.destroy());
    outgoing.end();
  });
}
