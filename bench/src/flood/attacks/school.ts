import { request } from "node:http";
import { connectWebSocket } from "../../ws-connect.ts";
import { textFrame } from "../../ws-frames.ts";
import { livePath } from "../../ws-load.ts";
import type { Attack } from "../attack.ts";
import type { Attacker } from "../attackers/attacker.ts";
import { ask, bearer, type Question, type Reply } from "../stage/http-ask.ts";

const pupils = 1_000;
const arrivalsMs = 20_000;
const holdMs = 3_000;
const deadlineMs = 10_000;
const schoolAddress = "127.0.0.9";

type Job = { readonly queue: string };

/**
 * A thousand honest people share one address. Half of them open the waiting page in a browser, the others use the
 * API.
 */
export const school: Attack<Job> = {
  name: "school",
  about: "no attack: 1,000 pupils behind one address enter a waiting room within 20 s and stay connected",
  isHonest: true,
  prepare: async ({ queue }) => ({ jobs: [{ queue }] }),
  async run(attacker, { queue }) {
    const live = new Set<object>();
    const coming = Array.from({ length: pupils }, async (_, number) => {
      await attacker.pause((arrivalsMs * number) / pupils);
      try {
        await (number % 2 === 0 ? comeByPage : comeByApi)({ attacker, queue, live });
        attacker.count("waiting");
      } catch (error) {
        attacker.refuse((error as Error).message);
      }
    });
    await Promise.all(coming);
    await attacker.pause(holdMs);
    attacker.count("connected at the end", live.size);
    if (live.size < pupils) attacker.refuse(`${pupils - live.size} pupils are not connected at the end`);
  },
};

type Visit = { readonly attacker: Attacker; readonly queue: string; readonly live: Set<object> };

async function comeByApi({ attacker, queue, live }: Visit): Promise<void> {
  const guest = await good(attacker, { method: "POST", path: "/api/v1/guests" });
  const { token } = JSON.parse(guest.text).data;
  const headers = bearer(token);
  const path = `/api/v1/queues/${queue}/positions`;
  const entered = await good(attacker, { method: "POST", path, headers });
  const position = JSON.parse(entered.text).data.position.id;
  const socket = await connectWebSocket(attacker.from(schoolAddress), livePath, {
    received() {},
    failed: () => live.delete(socket),
  });
  live.add(socket);
  socket.write(textFrame(JSON.stringify({ id: 1, type: "attend", position, token })));
}

async function comeByPage({ attacker, queue, live }: Visit): Promise<void> {
  const page = await good(attacker, { method: "GET", path: `/wait/${queue}` });
  const cookie = (page.headers["set-cookie"] ?? []).map((text) => text.split(";", 1)[0]).join("; ");
  await new Promise<void>((resolve, reject) => {
    const target = attacker.from(schoolAddress);
    const path = `/wait/${queue}/events`;
    const outgoing = request({ ...target, path, headers: { cookie }, agent: false }, (response) => {
      if (response.statusCode !== 200)
        return reject(new Error(`${path} was answered ${response.statusCode}`));
      live.add(outgoing);
      response.resume();
      response.on("close", () => live.delete(outgoing));
      response.on("error", () => live.delete(outgoing));
      resolve();
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

async function good(attacker: Attacker, question: Question): Promise<Reply> {
  const reply = await ask(attacker.from(schoolAddress), question, {
    deadlineMs,
    opened: () => attacker.opened(),
  });
  if (reply.status < 300) return reply;
  throw new Error(`${question.method} ${question.path} was answered ${reply.status}`);
}
