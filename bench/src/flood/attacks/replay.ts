import { HttpLoad } from "../../http-load.ts";
import { LoadError } from "../../load.ts";
import { RequestBook } from "../../request-book.ts";
import { calmArena } from "../../room-settings.ts";
import type { Attack } from "../attack.ts";
import { attackerAddress } from "../attackers/attacker.ts";
import { download } from "../attackers/download.ts";
import { requestText } from "../attackers/hammer.ts";
import type { Stage } from "../stage/stage.ts";

const arena = "long";
const entries = 20_000;
const connections = 16;
const fillTimeoutMs = 60_000;

type Job = { readonly match: string };

/** A match with many other entries in between. Without an index of its moves, each replay reads all of them. */
export const replay: Attack<Job> = {
  name: "replay",
  about: "16 loops replay a match with 20,000 entries, while polite people replay a short one",
  async prepare(stage) {
    const { server } = stage;
    await server.operate("POST", "/api/v1/arenas", {
      ...{ id: arena, title: "Long", game: "tic-tac-toe", ...calmArena },
    });
    const [one, other] = [server.crowd.next().token, server.crowd.next().token];
    for (const token of [one, other]) await stage.ask(token, "POST", `/api/v1/arenas/${arena}/join`);
    const long = await matchOn(stage);
    await fillMatch(stage);
    await resign(stage, one, long);
    const short = await matchOn(stage);
    await resign(stage, other, short);
    return {
      jobs: [{ match: long }],
      async alsoPolite(ask, guest) {
        await ask(guest, "replay", "GET", `/api/v1/arenas/${arena}/matches/${short}`);
      },
    };
  },
  async run(attacker, { match }) {
    const path = `/api/v1/arenas/${arena}/matches/${match}`;
    await download(attacker, { loops: connections, from: attackerAddress(1), path });
  },
};

/** The current match. */
async function matchOn({ server }: Stage): Promise<string> {
  const { state } = await server.operate("GET", `/api/v1/arenas/${arena}`);
  const { match } = state as { match: { id: string } | null };
  if (match === null) throw new LoadError("No match has begun in the arena.");
  return match.id;
}

async function resign(stage: Stage, token: string, match: string): Promise<void> {
  await stage.ask(token, "POST", `/api/v1/arenas/${arena}/resign`, { match });
}

/** Changes the settings of the arena repeatedly; each change is an entry. */
async function fillMatch({ server }: Stage): Promise<void> {
  const book = new RequestBook();
  for (let entry = 0; entry < entries; entry++) {
    const body = `{"moveTimeoutSeconds":${3_000 + (entry % 2)}}`;
    book.addText(requestText("PATCH", `/api/v1/arenas/${arena}`, server.operatorKey, body));
  }
  const load = new HttpLoad(server.address, connections);
  await load.saturate(book, fillTimeoutMs);
  load.close();
}
