import type { Hand } from "@openseat/kernel";
import type { Random } from "../prng.ts";

/** What a person wants to say. Names are as typed; undefined means the sender. */
export type Wish =
  | { readonly type: "help" | "games" | "quit" | "top" | "undo" | "decline" | "nonsense" }
  /** CH8: only on a phone. */
  | { readonly type: "stop" | "start" }
  | { readonly type: "nick"; readonly name: string }
  | { readonly type: "throw"; readonly hand: Hand; readonly at?: string; readonly rated: boolean }
  /** Drops the duel with `at`. */
  | { readonly type: "drop"; readonly at: string }
  | { readonly type: "register"; readonly ladder?: string }
  | {
      readonly type: "match";
      readonly players: readonly [string | undefined, string];
      readonly scores: readonly [number, number];
    }
  | { readonly type: "rating" | "history" | "confirm"; readonly of?: string };

/** The pager sends replies. The phone returns them in the response, and only sends what other people cause. */
export type ChannelName = "web" | "pager" | "phone";
export const outsideChannels = ["pager", "phone"] as const;

/** The address of the person with this number. */
export function addressOf(channel: "pager" | "phone", number: number): string {
  return `+${channel === "pager" ? 1 : 2}0000000${number}`;
}

export interface Message {
  readonly channel: ChannelName;
  readonly id: string;
  /** The subject of a token on the web; a private address elsewhere. */
  readonly sender: string;
  /** Undefined on the web. */
  readonly place?: string;
  /** The title of a group. */
  readonly title?: string;
  readonly wish: Wish;
  readonly text: string;
}

export function keyOf({ channel, sender, id }: Message): string {
  return channel === "web" ? `web ${sender} ${id}` : `${channel} ${id}`;
}

/** How the log names the sender. */
export function bringerOf({ channel, sender }: Message): string {
  return channel === "web" ? sender : `@${channel}`;
}

/** CH7: makes the rules fail. At the start of a text it breaks the directory, further on it breaks a ladder. */
export const poison = "☠";

export function isPoisoned({ text }: Pick<Message, "text">): boolean {
  return text.includes(poison);
}

const nonsense = [
  "",
  " \u200b ",
  "hello there",
  "🤷 what now?",
  "x".repeat(1_200),
  "nick",
  "throw",
  "match @ann",
];

/** CH5: one of the phrasings for a wish. */
export function worded(random: Random, wish: Wish): string {
  const text = plainWords(random, wish);
  if (wish.type === "nonsense") return text;
  const [command, ...rest] = text.split(" ");
  const opening = random.pick([
    command,
    command,
    command.toUpperCase(),
    `/${command}`,
    `/${command}@SomeBot`,
  ]);
  return [opening, ...rest].join(random.chance(0.1) ? "  \t" : " ");
}

function plainWords(random: Random, wish: Wish): string {
  const name = (called: string) => (random.chance(0.7) ? `@${called}` : called);
  switch (wish.type) {
    case "nonsense":
      return random.pick(nonsense);
    case "nick":
      return `${random.pick(["nick", "nick", "name"])} ${wish.name}`;
    case "throw": {
      const { hand, at, rated } = wish;
      const end = rated ? " rated" : "";
      if (at === undefined) return `throw ${hand}${end}`;
      return random.pick([`throw ${hand} ${name(at)}${end}`, `throw @${at} ${hand.toUpperCase()}${end}`]);
    }
    case "drop":
      return `${random.pick(["decline", "withdraw"])} ${name(wish.at)}`;
    case "register":
      return wish.ladder === undefined ? "register" : `register ${wish.ladder}`;
    case "match": {
      const [first, second] = wish.players;
      const score = wish.scores.join(random.pick(["-", ":", " "]));
      return `match ${first === undefined ? "" : `${name(first)} `}${name(second)} ${score}`;
    }
    case "confirm":
      return wish.of === undefined ? wish.type : `${wish.type} ${name(wish.of)}`;
    case "rating":
    case "history":
      return wish.of === undefined
        ? random.pick([wish.type, `${wish.type} me`])
        : `${wish.type} ${name(wish.of)}`;
    default:
      return wish.type;
  }
}
