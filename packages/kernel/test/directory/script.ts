import type { ConversationNumber, DirectoryCommand, Hand, LadderMeant } from "@openseat/kernel";
import fc from "fast-check";
import { Chance } from "../queue-stage.ts";
import {
  challenge,
  closed,
  club,
  type DirectoryStage,
  drop,
  hear,
  hours,
  ladder,
  move,
  type Place,
  pass,
  quiet,
  quit,
  sms,
  takeName,
  telegram,
  throwIn,
  web,
} from "./stage.ts";

/** Names, each with ways to write it; the first word is only how they are called here. */
export const spellings: Readonly<Record<string, readonly string[]>> = {
  ann: ["Ann", "ann", "ANN", "Ａｎｎ"],
  zoe: ["Zoë", "ZOË", "zoe\u0308", "zo\u200bë"],
  strasse: ["Straße", "STRASSE", "straẞe"],
  rock: ["rock", "Rock"],
  rated: ["rated"],
  me: ["me", "ME"],
  proto: ["__proto__"],
};
const invalid = ["x", "two words", "-_-", "😀😀", "a.b"];
const keys = Object.keys(spellings);
const hands: readonly Hand[] = ["rock", "paper", "scissors"];
const handSpellings: Readonly<Record<Hand, readonly string[]>> = {
  rock: ["rock", "ROCK", "✊🏽", "r"],
  paper: ["paper", "Paper!", "✋"],
  scissors: ["scissors", "✂\ufe0f", "s"],
};

/** What somebody means by a message; names are by their key. */
export type Meaning =
  | { readonly type: "help" | "games" | "quit" | "unclear" }
  | { readonly type: "usage"; readonly command: "throw" | "match" | "nick" | "quit" | "undo" }
  | { readonly type: "nick"; readonly key: string | null; readonly typed: string }
  | { readonly type: "drop"; readonly at: string }
  | { readonly type: "throw"; readonly hand: Hand; readonly at: string | null; readonly rated: boolean }
  | {
      readonly type: "match";
      readonly players: readonly [string | null, string];
      readonly scores: readonly [number, number];
    }
  | { readonly type: "rating" | "history" | "confirm"; readonly of: string | null }
  | { readonly type: "register"; readonly ladder: string | null }
  | { readonly type: "top" | "undo" | "decline" };

/** Something that is asked, and, of a message, what is meant by it. */
export interface Asked {
  readonly command: DirectoryCommand;
  readonly meaning?: Meaning;
}

const places: readonly Place[] = [
  ...[web("wa"), web("wb"), web("wc"), sms("+1"), sms("+2")],
  ...[telegram("7"), telegram("8"), telegram("9")],
  ...[
    telegram("7", "-5"),
    telegram("8", "-5"),
    telegram("10", "-5"),
    telegram("9", "-6"),
    telegram("7", "-1005"),
  ],
];
const groups = ["-5", "-6", "-1005"];
export const webPeople = ["wa", "wb", "wc"];
const ladders: readonly LadderMeant[] = [club, quiet, ladder("other"), closed];

/** One step: what is asked comes from `choice` and from the directory as it is then, so a script can be made shorter. */
export interface Step {
  readonly choice: number;
  readonly passesMs: number;
}

/** Mostly none or little; now and then an hour, or most of a week. */
const passes = (passing: number) =>
  passing < 950 ? passing % 5 : passing < 985 ? hours / 2 + passing : 40 * hours * (passing - 984);

const step: fc.Arbitrary<Step> = fc
  .tuple(fc.nat(0x7fff_ffff), fc.nat(999))
  .map(([choice, passing]) => ({ choice, passesMs: passes(passing) }));

export const script = (steps: number) => fc.array(step, { maxLength: steps, size: "max" });

function spelled(chance: Chance, key: string): string {
  return `@${chance.of(spellings[key])}`;
}

/** Mostly somebody who is there. */
function someKey(chance: Chance, { directory }: DirectoryStage): string {
  const known = [...(directory?.people.values() ?? [])].map(({ nickname }) => nickname);
  const there = keys.filter((key) => spellings[key].some((each) => known.includes(each.normalize("NFC"))));
  return there.length > 0 && chance.percent(85) ? chance.of(there) : chance.of(keys);
}

function someMeaning(chance: Chance, stage: DirectoryStage): { meaning: Meaning; words: string[] } {
  const roll = chance.below(100);
  if (roll < 22) {
    const isFit = chance.percent(90);
    const key = isFit ? chance.of(keys) : null;
    const typed = key === null ? chance.of(invalid) : chance.of(spellings[key]);
    return { meaning: { type: "nick", key, typed }, words: [chance.of(["nick", "name"]), typed] };
  }
  if (roll < 58) return someThrow(chance, stage);
  if (roll < 62) {
    const at = someKey(chance, stage);
    return {
      meaning: { type: "drop", at },
      words: [chance.of(["decline", "withdraw"]), spelled(chance, at)],
    };
  }
  if (roll < 82) return someQuestion(chance, stage);
  const plain = chance.of(["help", "games", "games", "games", "quit", "quit"] as const);
  if (roll < 94) return { meaning: { type: plain }, words: [plain] };
  if (roll < 97) {
    const command = chance.of(["throw", "match", "nick", "quit", "undo"] as const);
    const isHasty = command === "quit" || command === "undo";
    return { meaning: { type: "usage", command }, words: [command, ...(isHasty ? ["that", "please"] : [])] };
  }
  return {
    meaning: { type: "unclear" },
    words: [chance.of(["hello", "👍", "", "constructor", "x".repeat(2_000)])],
  };
}

function someThrow(chance: Chance, stage: DirectoryStage): { meaning: Meaning; words: string[] } {
  const hand = chance.of(hands);
  const at = chance.percent(80) ? someKey(chance, stage) : null;
  const rated = chance.percent(30);
  const words = [chance.of(handSpellings[hand]), ...(rated ? ["rated"] : [])];
  if (at !== null) words.splice(chance.below(words.length + 1), 0, spelled(chance, at));
  return { meaning: { type: "throw", hand, at, rated }, words: [chance.of(["throw", "duel"]), ...words] };
}

function someQuestion(chance: Chance, stage: DirectoryStage): { meaning: Meaning; words: string[] } {
  const type = chance.of([
    "match",
    "match",
    "rating",
    "history",
    "register",
    "register",
    "top",
    "undo",
    "confirm",
    "decline",
  ] as const);
  if (type === "match") {
    const first = chance.percent(50) ? null : someKey(chance, stage);
    const second = someKey(chance, stage);
    const scores = [chance.below(3), chance.percent(5) ? 1_001 : chance.below(3)] as const;
    const names = [...(first === null ? [] : [spelled(chance, first)]), spelled(chance, second)];
    return {
      meaning: { type, players: [first, second], scores },
      words: ["match", ...names, `${scores[0]}${chance.of(["-", ":", " "])}${scores[1]}`],
    };
  }
  if (type === "rating" || type === "history" || type === "confirm") {
    const of = chance.percent(50) ? null : someKey(chance, stage);
    return { meaning: { type, of }, words: [type, ...(of === null ? [] : [spelled(chance, of)])] };
  }
  if (type !== "register") return { meaning: { type }, words: [type] };
  const named = chance.percent(50) ? null : chance.of(["club", "quiet", "closed", "nowhere"]);
  return { meaning: { type, ladder: named }, words: [type, ...(named === null ? [] : [named])] };
}

/** The same, as people write it. */
function written(chance: Chance, [first, ...rest]: readonly string[]): string {
  const space = chance.of([" ", " ", "  ", "\n", "\u00a0"]);
  const head = chance.of([
    first,
    first,
    first.toUpperCase(),
    `/${first}`,
    `!${first}`,
    `/${first}@OpenseatBot`,
  ]);
  const isPlain = first.length > 1_000 || first === "";
  return isPlain ? first : [head, ...rest].join(space) + chance.of(["", "", "\u200e", " "]);
}

/** Which ladder a message is about is found before it is heard; here it is anyone. */
function ladderFor(chance: Chance, meaning: Meaning): LadderMeant | undefined {
  if (meaning.type === "register" && meaning.ladder !== null)
    return ladders.find(({ id }) => id === meaning.ladder);
  return chance.of(ladders);
}

function randomMessage(chance: Chance, stage: DirectoryStage): Asked {
  const { meaning, words } = someMeaning(chance, stage);
  const command = hear(chance.of(places), written(chance, words), ladderFor(chance, meaning));
  return { command: chance.percent(2) ? { ...command, isBroken: true } : command, meaning };
}

function someDuel(chance: Chance, { directory }: DirectoryStage): number {
  const open = [...(directory?.duels.allOpen ?? [])].map(({ number }) => number as number);
  const next = directory?.duels.next ?? 1;
  return open.length > 0 && chance.percent(70) ? chance.of(open) : 1 + chance.below(next);
}

function randomNotices(chance: Chance, { directory }: DirectoryStage): DirectoryCommand {
  const from = chance.of(["ladder/club", "ladder/other"]);
  const heard = directory?.heard.get(from) ?? 0;
  const whoever = [...(directory?.people.keys() ?? []), "nobody"];
  // Now and then more than anybody is told in an hour.
  const isFlood = chance.percent(25);
  const victim = chance.of(whoever);
  const versions = Array.from({ length: isFlood ? chance.of([100, 250]) : chance.below(4) }, () =>
    Math.max(1, heard - 1 + chance.below(5)),
  );
  return pass(
    from,
    versions
      .sort((one, other) => one - other)
      .map((version) => [
        version,
        isFlood ? victim : chance.of(whoever),
        `note ${version}`,
        chance.of([undefined, ...whoever]),
      ]),
  );
}

export function randomStep(stage: DirectoryStage, choice: number): Asked {
  const chance = new Chance(choice);
  const roll = chance.below(100);
  const somebody = chance.of(webPeople);
  const rated = chance.of([null, null, "club", "other"]);
  if (roll < 64) return randomMessage(chance, stage);
  if (roll < 70) {
    const nickname = chance.percent(90) ? chance.of(spellings[chance.of(keys)]) : chance.of(invalid);
    return { command: takeName(somebody, nickname) };
  }
  if (roll < 72) {
    const anybody = [...webPeople, ...(stage.directory?.people.keys() ?? []), "nobody"];
    return { command: quit(chance.of(anybody)) };
  }
  if (roll < 80) {
    const name = spelled(chance, someKey(chance, stage)).slice(1);
    return { command: challenge(somebody, name, chance.of([null, ...hands]), rated) };
  }
  if (roll < 87) return { command: throwIn(somebody, someDuel(chance, stage), chance.of(hands), rated) };
  if (roll < 90) return { command: drop(somebody, someDuel(chance, stage)) };
  if (roll < 92) return { command: move(chance.of(groups), chance.of(groups)) };
  if (roll < 94) {
    const conversation = (1 +
      chance.below((stage.directory?.conversationsMet ?? 0) + 1)) as ConversationNumber;
    return { command: { type: "link", conversation, ladder: chance.of(ladders).id } };
  }
  if (roll < 98) return { command: randomNotices(chance, stage) };
  return { command: { type: chance.of(["tick", "recall"]) } };
}
