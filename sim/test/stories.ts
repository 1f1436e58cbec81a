import type {
  ArenaCommand,
  LadderCommand,
  LadderSettings,
  MatchId,
  MatchNumber,
  PersonId,
} from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { ArenaView } from "../src/arena/view.ts";
import type { Wish } from "../src/chat/message.ts";
import type { Answer, Command, Request } from "../src/requests.ts";
import type { Story } from "./small-world.ts";

const ladder: StreamName = "ladder/l1";
const arena: StreamName = "arena/a1";
const [ann, bob, cleo] = ["ann", "bob", "cleo"] as PersonId[];

function createLadder(settings: Partial<LadderSettings>): LadderCommand {
  return {
    type: "create",
    rating: {
      ...{ system: "elo", start: 1_000, floor: 0, k: [{ from: 0, k: 32 }], curve: "logistic" },
      ...{ provisionalGames: 10, deviation: 350, volatility: 0.06, tau: 0.5, provisionalDeviation: 110 },
    },
    settings: {
      ...{ title: "Ladder", open: true, confirm: false, confirmWindowMs: 3_600_000, undoWindowMs: 3_600_000 },
      ...settings,
    },
    creator: "organiser",
  };
}

/** Two players of an external game; a service reports the results. After a draw they play again. */
const createArena: ArenaCommand = {
  type: "create",
  ...{ game: null, options: {}, labels: undefined, seed: 1, creator: "organiser" },
  lanes: [{ name: "normal", skips: 0, immediate: false }],
  rated: { ladder: "l1", tiers: [], tier: 0 },
  settings: {
    ...{ title: "Arena", seats: 2, drawRule: "rematch", maxWins: null, moveTimeoutMs: null },
    ...{ reconnectGraceMs: null, heartbeatTimeoutMs: 60_000, lineLengthMax: 10, patienceMs: 0 },
  },
};

/** Each request has its own key. */
function asking(insist: (request: Request) => Promise<Answer>) {
  let keys = 0;
  return (stream: StreamName, by: string, command: Command) =>
    insist({ type: "ask", stream, by, key: `k${++keys}`, command });
}

/** An arena that sends four matches to the ladder. */
export const ofAnArena: Story = {
  ladder,
  async tell(insist) {
    const ask = asking(insist);
    await ask(ladder, "organiser", createLadder({}));
    await ask(arena, "organiser", createArena);
    for (const person of [ann, bob])
      await ask(arena, person, { type: "join", person, name: person, lane: 0 });
    for (const winner of ["1", "2", null, "1"]) {
      const seen = (await insist({ type: "look", stream: arena, by: "service" })) as Answer & {
        type: "seen";
      };
      const match = Number((seen.view as ArenaView).state.match!.id) as MatchId;
      await ask(arena, "service", { type: "report", match, winner });
    }
  },
};

/** Three people: matches confirmed, declined and voided, and an import of old ones. */
export const ofPeople: Story = {
  ladder,
  async tell(insist) {
    const ask = asking(insist);
    const organiser = { by: "organiser", role: "person" } as const;
    const report = (first: PersonId, second: PersonId, points: number) => {
      const result = { players: [first, second], scores: [points, 1] } as const;
      return ask(ladder, first, { type: "report", result, asker: { by: first, role: "person" } });
    };
    const settle = (type: "confirm" | "decline", by: PersonId, match: number) =>
      ask(ladder, by, { type, match: match as MatchNumber, by });
    await ask(ladder, "organiser", createLadder({ confirm: true }));
    for (const person of [ann, bob])
      await ask(ladder, person, {
        type: "enrol",
        person,
        name: person,
        rating: undefined,
        asker: { by: person, role: "person" },
      });
    const row = (first: PersonId, second: PersonId) =>
      ({ players: [first, second], names: [first, second], scores: [2, 1], at: null }) as const;
    await ask(ladder, "organiser", {
      type: "import",
      digest: "f1",
      rows: [row(cleo, ann), row(bob, cleo)],
      asker: organiser,
    });
    await report(ann, bob, 3);
    await settle("confirm", bob, 3);
    await report(bob, ann, 0);
    await settle("decline", ann, 4);
    await ask(ladder, ann, { type: "void", match: 3 as MatchNumber, asker: { by: ann, role: "person" } });
  },
};

type Asking = Parameters<Story["tell"]>[0];

/** One person on the web, one by pager. */
function saying(insist: Asking) {
  return (who: "ann" | "bob", id: string, wish: Wish, text: string) => {
    const speaker =
      who === "ann"
        ? ({ channel: "web", sender: "ann" } as const)
        : ({ channel: "pager", sender: "+100000001", place: "+100000001" } as const);
    return insist({ type: "say", message: { ...speaker, id, wish, text } });
  };
}

/** Two people who talk: about the ladder, a match, a rated duel, and a new nickname. */
export const ofTalk: Story = {
  ladder: "ladder/chat",
  async prepare(insist) {
    const say = saying(insist);
    await say("ann", "n1", { type: "nick", name: "Ann" }, "nick Ann");
    await say("bob", "n2", { type: "nick", name: "Bob" }, "nick Bob");
    await say("ann", "n3", { type: "register" }, "register");
  },
  async tell(insist) {
    const say = saying(insist);
    await say("bob", "n4", { type: "register" }, "register");
    await say("ann", "n5", { type: "match", players: [undefined, "Bob"], scores: [3, 1] }, "match @Bob 3-1");
    await say("ann", "n6", { type: "throw", hand: "rock", at: "Bob", rated: true }, "throw rock @Bob rated");
    await say("bob", "n7", { type: "throw", hand: "paper", rated: true }, "throw paper rated");
    await say("bob", "n8", { type: "nick", name: "Robert" }, "nick Robert");
  },
};
