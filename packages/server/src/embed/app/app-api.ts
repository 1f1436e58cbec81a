import { ArenasApi } from "./arenas.ts";
import type { Calls } from "./calls.ts";
import { ChatApi } from "./chat.ts";
import { DuelsApi } from "./duels.ts";
import { GamesApi } from "./games.ts";
import { LaddersApi } from "./ladders.ts";
import { PeopleApi } from "./people.ts";
import { PositionsApi } from "./positions.ts";
import { QueuesApi } from "./queues.ts";
import { SessionsApi } from "./sessions.ts";

/** What people, services and operators can do, as calls in this process. Calls before the start wait for it. */
export class AppApi {
  readonly games: GamesApi;
  readonly queues: QueuesApi;
  readonly positions: PositionsApi;
  readonly sessions: SessionsApi;
  readonly arenas: ArenasApi;
  readonly ladders: LaddersApi;
  readonly people: PeopleApi;
  readonly duels: DuelsApi;
  readonly chat: ChatApi;

  constructor(calls: Calls) {
    this.games = new GamesApi(calls);
    this.queues = new QueuesApi(calls);
    this.positions = new PositionsApi(calls);
    this.sessions = new SessionsApi(calls);
    this.arenas = new ArenasApi(calls);
    this.ladders = new LaddersApi(calls);
    this.people = new PeopleApi(calls);
    this.duels = new DuelsApi(calls);
    this.chat = new ChatApi(calls);
  }
}
