import type { Hand } from "../match/games/rock-paper-scissors.ts";
import { tidied } from "./tidy.ts";

/** A question to a ladder. Names are as typed, without `@`; undefined for the sender. */
export type LadderSaying =
  | { readonly type: "register"; readonly ladder?: string }
  | {
      readonly type: "match";
      readonly players: readonly [string | undefined, string | undefined];
      readonly scores: readonly [number, number];
    }
  | { readonly type: "rating" | "history"; readonly of?: string }
  /** Without a name: the oldest match that waits for the sender. */
  | { readonly type: "confirm"; readonly of?: string }
  | { readonly type: "top" | "undo" | "decline" };

/** CH5: a parsed message. */
export type Saying =
  | { readonly type: "help" | "games" | "quit" }
  | { readonly type: "nick"; readonly name: string }
  /** Without a name: at the only person who waits for a throw. */
  | { readonly type: "throw"; readonly hand: Hand; readonly at?: string; readonly rated: boolean }
  /** Cancels the open duel with this person. */
  | { readonly type: "drop"; readonly at: string }
  | LadderSaying
  /** The command is known but incomplete. */
  | { readonly type: "incomplete"; readonly command: CommandName }
  | { readonly type: "unclear"; readonly why: "empty" | "long" | "unknown" };

export type CommandName = keyof typeof usages;

/** The usage of each command, shown by help and after an incomplete command. */
export const usages = {
  nick: "nick NAME",
  throw: "throw rock @nick",
  games: "games",
  register: "register",
  match: "match @winner @loser 3-1",
  rating: "rating @nick",
  top: "top",
  history: "history",
  undo: "undo",
  confirm: "confirm",
  decline: "decline @nick",
  quit: "quit",
  help: "help",
} as const;

/** Longer messages are not parsed. No command is this long. */
export const messageLengthMax = 1_000;

/** Commands by their first word, with aliases that people are used to. */
const commands: ReadonlyMap<string, CommandName> = new Map([
  ...(Object.keys(usages) as CommandName[]).map((name) => [name, name] as const),
  ["?", "help"],
  ["start", "help"],
  ["name", "nick"],
  ["nickname", "nick"],
  ["duel", "throw"],
  ["duels", "games"],
  ["withdraw", "decline"],
  ["forget", "quit"],
  ["join", "register"],
  ["report", "match"],
  ["result", "match"],
  ["rank", "rating"],
  ["standings", "top"],
]);

const hands: ReadonlyMap<string, Hand> = new Map(
  Object.entries({
    rock: ["rock", "stone", "r", "✊", "🪨"],
    paper: ["paper", "p", "✋", "📄"],
    scissors: ["scissors", "scissor", "s", "✌", "✂"],
  }).flatMap(([hand, words]) => words.map((word) => [word, hand as Hand])),
);

/**
 * Parses a message. It ignores case, extra spaces, `/` before a command, `@` before a name, a bot's name after a
 * command, punctuation after a word, and invisible characters.
 */
export function understand(text: string): Saying {
  if (text.length > messageLengthMax) return { type: "unclear", why: "long" };
  const words = tidied(text).split(" ").filter(Boolean);
  if (words.length === 0) return { type: "unclear", why: "empty" };
  const [first, ...rest] = words;
  const others = rest.filter((word) => bare(word) !== "");
  const command = commands.get(commandWord(first));
  // Keep punctuation in a new nickname: stripping it would give the person another name than they asked for.
  if (command !== undefined) return readers[command](command === "nick" ? rest : others);
  // `rock @nick` is also a throw, but a single letter such as `r` is not. In `rock@nick`, `@nick` is not a bot's name.
  const opening = /^[/!]/.test(first) ? commandWord(first) : first;
  const isThrow = handOf(opening) !== undefined && (others.length > 0 || !/^[a-z]$/.test(plain(opening)));
  return isThrow ? throwing([opening, ...others]) : { type: "unclear", why: "unknown" };
}

/** Whether a ladder has to answer this message. */
export function isForLadder(saying: Saying): saying is LadderSaying {
  return ladderCommands.has(saying.type);
}

const ladderCommands: ReadonlySet<string> = new Set([
  "register",
  "match",
  "rating",
  "history",
  "top",
  "undo",
  "confirm",
  "decline",
]);

const readers: Readonly<Record<CommandName, (words: readonly string[]) => Saying>> = {
  help: () => ({ type: "help" }),
  games: () => ({ type: "games" }),
  // Quitting cannot be undone, so it must be the only thing said: not "quit asking me" or "forget it".
  quit: (words) => (words.length === 0 || isMe(words) ? { type: "quit" } : incomplete("quit")),
  nick: (words) =>
    words.length === 0 ? incomplete("nick") : { type: "nick", name: unmarked(words.join(" ")) },
  throw: throwing,
  register: ([ladder]) =>
    ladder === undefined ? { type: "register" } : { type: "register", ladder: bare(ladder) },
  match: matching,
  rating: ([of]) => about("rating", of),
  history: ([of]) => about("history", of),
  top: () => ({ type: "top" }),
  undo: (words) => (words.length === 0 ? { type: "undo" } : incomplete("undo")),
  confirm: ([of]) => (of === undefined ? { type: "confirm" } : { type: "confirm", of: bare(of) }),
  decline: ([at]) => (at === undefined ? { type: "decline" } : { type: "drop", at: bare(at) }),
};

function isMe(words: readonly string[]): boolean {
  return words.length === 1 && plain(words[0]) === "me";
}

function incomplete(command: CommandName): Saying {
  return { type: "incomplete", command };
}

function about(type: "rating" | "history", of: string | undefined): Saying {
  const name = of === undefined ? undefined : nameIn(of);
  return name === undefined ? { type } : { type, of: name };
}

/** `rock @nick`, `@nick rock`, `rock at nick rated`. */
function throwing(words: readonly string[]): Saying {
  const place = words.findIndex((word) => handOf(word) !== undefined);
  const hand = handOf(words[place] ?? "");
  if (hand === undefined) return incomplete("throw");
  const others = words.filter((word, index) => index !== place && !fillers.has(plain(word)));
  const isRated = (word: string) => plain(word) === "rated";
  const name = others.find((word) => !isRated(word));
  const rated = others.some(isRated);
  return name === undefined ? { type: "throw", hand, rated } : { type: "throw", hand, at: bare(name), rated };
}

const fillers: ReadonlySet<string> = new Set(["at", "against", "vs", "v", "beat"]);
const score = /(?:^| )(\d{1,6}) ?(?:[-–—−:]| ) ?(\d{1,6})$/;

/** `@a @b 3-1`, or `@b 3-1` for the sender's own match. `3:1` and `3 1` are scores too. */
function matching(words: readonly string[]): Saying {
  const text = withoutMarksBehind(words.join(" "), 0);
  const found = score.exec(text);
  if (!found) return incomplete("match");
  const names = text
    .slice(0, found.index)
    .split(" ")
    .filter((word) => word !== "" && !fillers.has(plain(word)))
    .map(nameIn);
  const scores = [Number(found[1]), Number(found[2])] as const;
  if (names.length === 1) return { type: "match", players: [undefined, names[0]], scores };
  return names.length === 2 ? { type: "match", players: [names[0], names[1]], scores } : incomplete("match");
}

/** `/Throw@OpenseatBot` is `throw`. */
function commandWord(word: string): string {
  const named = word.replace(/^[/!]+/, "").replace(/(?<=.)@.*$/, "");
  return withoutMarksBehind(named, 1).toLowerCase();
}

/** Skin tones of emoji are ignored. */
function handOf(word: string): Hand | undefined {
  return hands.get(plain(word).replace(/\p{Emoji_Modifier}/gu, ""));
}

/** A person's name; undefined for the sender. */
function nameIn(word: string): string | undefined {
  return plain(word) === "me" ? undefined : bare(word);
}

/** A keyword in lower case; empty for a word with `@`, which is a person's name. */
function plain(word: string): string {
  return word.startsWith("@") ? "" : bare(word).toLowerCase();
}

/** Not a regular expression: one for trailing punctuation takes quadratic time when there is a lot in the middle. */
function withoutMarksBehind(word: string, lengthMin: number): string {
  let end = word.length;
  while (end > lengthMin && ".,;:!?".includes(word[end - 1])) end--;
  return word.slice(0, end);
}

/** A word without leading `@` and trailing punctuation. */
function bare(word: string): string {
  return withoutMarksBehind(unmarked(word), 0);
}

function unmarked(word: string): string {
  return word.replace(/^@+/, "");
}
