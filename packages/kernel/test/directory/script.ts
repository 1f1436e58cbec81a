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

/** Names, each with its spellings; the keys are only used in these tests. */
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

/** A command. For a throw in a chat message, also the opponent and whether it is rated. */
export interface Asked {
  readonly command: DirectoryCommand;
  readonly thrown?: { readonly at: string | null; readonly rated: boolean };
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
const webPeople = ["wa", "wb", "wc"];
const ladders: readonly LadderMeant[] = [club, quiet, ladder("other"), closed];

/** One step. The command depends on `choice` and the current directory, so that a failing script can be shrunk. */
export interface Step {
  readonly choice: number;
  readonly passesMs: number;
}

/** Usually short; sometimes an hour, or most of a week. */
const passes = (passing: number) =>
  passing < 950 ? passing % 5 : passing < 985 ? hours / 2 + passing : 40 * hours * (passing - 984);

const step: fc.Arbitrary<Step> = fc
  .tuple(fc.nat(0x7fff_ffff), fc.nat(999))
  .map(([choice, passing]) => ({ choice, passesMs: passes(passing) }));

export const script = (steps: number) => fc.array(step, { maxLength: steps, size: "max" });

function spelled(chance: Chance, key: string): string {
  return `@${chance.of(spellings[key])}`;
}

/** Usually a person with a name. */
function someKey(chance: Chance, { directory }: DirectoryStage): string {
  const known = [...(directory?.people.values() ?? [])].map(({ nickname }) => nickname);
  const there = keys.filter((key) => spellings[key].some((each) => known.includes(each.normalize("NFC"))));
  return there.length > 0 && chance.percent(85) ? chance.of(there) : chance.of(keys);
}

/** The words of a message; for a throw, also its opponent and whether it is rated. */
type Message = { readonly words: readonly string[]; readonly thrown?: NonNullable<Asked["thrown"]> };

function someMessage(chance: Chance, stage: DirectoryStage): Message {
  const roll = chance.below(100);
  if (roll < 22) {
    const name = chance.percent(90) ? chance.of(spellings[chance.of(keys)]) : chance.of(invalid);
    return { words: [chance.of(["nick", "name"]), name] };
  }
  if (roll < 58) return someThrow(chance, stage);
  const someone = () => spelled(chance, someKey(chance, stage));
  if (roll < 62) return { words: [chance.of(["decline", "withdraw"]), someone()] };
  if (roll < 82) return { words: someQuestion(chance, someone) };
  if (roll < 94) return { words: [chance.of(["help", "games", "games", "games", "quit", "quit"])] };
  if (roll < 97)
    return { words: chance.of([["throw"], ["match"], ["nick"], ["quit", "that"], ["undo", "that"]]) };
  return { words: [chance.of(["hello", "👍", "", "constructor", "x".repeat(2_000)])] };
}

function someThrow(chance: Chance, stage: DirectoryStage): Message {
  const hand = chance.of(handSpellings[chance.of(hands)]);
  const at = chance.percent(80) ? someKey(chance, stage) : null;
  const rated = chance.percent(30);
  const words = [hand, ...(rated ? ["rated"] : [])];
  if (at !== null) words.splice(chance.below(words.length + 1), 0, spelled(chance, at));
  return { thrown: { at, rated }, words: [chance.of(["throw", "duel"]), ...words] };
}

function someQuestion(chance: Chance, someone: () => string): readonly string[] {
  const maybe = (word: () => string) => (chance.percent(50) ? [word()] : []);
  const [first, ...others] = ["match", "rating", "history", "confirm"];
  const type = chance.of([first, first, ...others, "register", "register", "top", "undo", "decline"]);
  if (type === "register") return [type, ...maybe(() => chance.of(["club", "quiet", "closed", "nowhere"]))];
  if (others.includes(type)) return [type, ...maybe(someone)];
  if (type !== first) return [type];
  const scores = [chance.below(3), chance.percent(5) ? 1_001 : chance.below(3)];
  return [type, ...maybe(someone), someone(), scores.join(chance.of(["-", ":", " "]))];
}

/** Writes the words as people type them. */
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

function randomMessage(chance: Chance, stage: DirectoryStage): Asked {
  const { words, thrown } = someMessage(chance, stage);
  // The server finds the ladder of a message before the directory handles it.
  const meant =
    words[0] === "register" && words[1] ? ladders.find(({ id }) => id === words[1]) : chance.of(ladders);
  const command = hear(chance.of(places), written(chance, words), meant);
  return { command: chance.percent(2) ? { ...command, isBroken: true } : command, ...(thrown && { thrown }) };
}

function someDuel(chance: Chance, { directory }: DirectoryStage): number {
  const open = [...(directory?.duels.allOpen ?? [])].map(({ number }) => number as number);
  const next = directory?.duels.next ?? 1;
  return open.length > 0 && chance.percent(70) ? chance.of(open) : 1 + chance.below(next);
}

function randomNotices(chance: Chance, { directory }: DirectoryStage): DirectoryCommand {
  const from = chance.of(["ladder/club", "ladder/other"]);
  const received = directory?.receivedUpTo.get(from) ?? 0;
  const anyone = [...(directory?.people.keys() ?? []), "nobody"];
  // Sometimes more than the hourly limit of notifications to one person.
  const isFlood = chance.percent(25);
  const victim = chance.of(anyone);
  const versions = Array.from({ length: isFlood ? chance.of([100, 250]) : chance.below(4) }, () =>
    Math.max(1, received - 1 + chance.below(5)),
  );
  return pass(
    from,
    versions
      .sort((one, other) => one - other)
      .map((version) => [
        version,
        isFlood ? victim : chance.of(anyone),
        `note ${version}`,
        chance.of([undefined, ...anyone]),
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
