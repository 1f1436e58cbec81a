import type { TestServer } from "../../packages/server/test/support/server.ts";

const names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gia", "Hugo"];

export interface DemoPeople {
  leave(): void;
}

/** A ladder with past matches, a waiting room with a long line, and a game with two people in it. */
export async function demoPeople({ url, serviceKey, operatorKey }: TestServer): Promise<DemoPeople> {
  async function ask(method: string, path: string, token: string | undefined, body: object = {}) {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()).data;
  }

  const ladder = { id: "club", title: "Tuesday chess club", provisionalGames: 5 };
  await ask("POST", "/ladders", serviceKey, ladder);
  await ask("POST", "/ladders/club/imports", serviceKey, { matches: pastMatches() });

  const sale = { id: "sale", title: "Festival tickets", maxActive: 40, rate: 1, returnAddresses: ["/"] };
  await ask("POST", "/queues", operatorKey, sale);
  for (let visitor = 1; visitor <= 900; visitor++)
    await ask("POST", "/queues/sale/positions", serviceKey, { userId: `visitor-${visitor}` });

  const guests = await Promise.all(["Ann", "Bob"].map((name) => ask("POST", "/guests", undefined, { name })));
  for (const { token } of guests) await ask("POST", "/games/demo/join", token);
  const heartbeats = setInterval(() => {
    for (const { token } of guests) ask("POST", "/games/demo/heartbeat", token).catch(() => {});
  }, 10_000);
  return { leave: () => clearInterval(heartbeats) };
}

/** The same matches in every run. Players earlier in the list are stronger and mostly win. */
function pastMatches() {
  return Array.from({ length: 120 }, (_, index) => {
    const [a, b] = [(index * 5) % names.length, (index * 3 + 1 + (index % 5)) % names.length];
    const opponents = [a, a === b ? (b + 1) % names.length : b];
    const isUpset = index % 4 === 0;
    const aWins = opponents[0] < opponents[1] !== isUpset;
    const day = new Date(Date.UTC(2026, 0, 6 + index)).toISOString().slice(0, 10);
    return {
      players: opponents.map((who) => names[who].toLowerCase()),
      names: opponents.map((who) => names[who]),
      scores: aWins ? [1, 0] : [0, 1],
      at: day,
    };
  });
}
