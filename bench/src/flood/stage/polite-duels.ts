import type { AlsoPolite } from "./polite-client.ts";
import type { Guest, Stage } from "./stage.ts";

/** Polite guests take nicknames, then duel in pairs. */
export async function politeDuels(stage: Stage): Promise<AlsoPolite> {
  const nicknames = await namePoliteGuests(stage);
  return async (ask, guest, peer) => {
    const challenge = { opponent: nicknames.get(peer.id), throw: "rock" };
    const opened = await ask(guest, "challenge", "POST", "/api/v1/duels", challenge);
    if (opened) await ask(peer, "throw", "POST", `/api/v1/duels/${opened.duel.id}/throw`, { throw: "paper" });
  };
}

async function namePoliteGuests(stage: Stage): Promise<Map<Guest["id"], string>> {
  const nicknames = new Map(stage.guests.map(({ id }, number) => [id, `polite${number}`]));
  await Promise.all(
    stage.guests.map(({ id, token }) =>
      stage.ask(token, "PUT", "/api/v1/people/me/nickname", { nickname: nicknames.get(id) }),
    ),
  );
  return nicknames;
}
