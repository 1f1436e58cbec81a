import assert from "node:assert/strict";
import type { Effect } from "@openseat/kernel";

/** What a text comes to, whatever its words. */
const kinds: readonly (readonly [RegExp, (...found: string[]) => string])[] = [
  [/^Hello! First choose a name: nick NAME\nDuel: /, () => "help nobody"],
  [/^You are (.+)\.\nDuel: /, (name) => `help ${name}`],
  [/^Write what you throw and at whom/, () => "usage throw"],
  [/^Write who played and the score/, () => "usage match"],
  [/^Write the name you want/, () => "usage nick"],
  [/^Write it like this: (.+)$/, (command) => `usage ${command}`],
  [/^(?:There was nothing that I could read|That is more than I can|I did not understand)/, () => "unclear"],
  [/^Sorry, something went wrong with that message/, () => "broken"],
  [/^Hello, (.+)! Now challenge somebody/, (name) => `named ${name}`],
  [/^You are (.+) now\. (.+) is free for others\.$/, (name, was) => `named ${name} was ${was}`],
  [/^You are (.+) now\.$/, (name) => `recased ${name}`],
  [/^A nickname has 2 to 20/, () => "nickname.invalid"],
  [/^.+ is taken\. Please choose another/, () => "nickname.taken"],
  [/^You are .+ already\.$/, () => "nickname.same"],
  [/^You need a nickname first.* Write: nick NAME$/, () => "nickname.missing"],
  [/^Nobody is called .* here\. Have they chosen a nickname\?/, () => "nickname.unknown"],
  [/^You are forgotten: /, () => "forgotten"],
  [/^There is nothing to forget: /, () => "nobody-to-forget"],
  [/^Your duel with (\S+) is off\.$/, (name) => `off ${name}`],
  [/^You have no open duel with (\S+)\. To decline a match /, (name) => `no-duel ${name}`],
  [/^There is no room for more people just now\./, () => "directory.full"],
  [/^More is happening than I tell you in an hour\./, () => "enough"],
  [/^Here everybody would see what you throw\./, () => "secret-please"],
  [/^There is no ladder called/, () => "no-ladder"],
  [/^Duels do not count on your ladder\./, () => "no-rated-duels"],
  [/^Scores are whole numbers/, () => "score-too-high"],
  [/^Nobody duels with themselves\./, () => "duel.self"],
  [/^You have thrown already\./, () => "duel.thrown"],
  [/^You have \d+ open challenges\./, () => "duel.too-many"],
  [/^You threw\. It is secret until (.+) throws too\.$/, (name) => `waiting for ${name}`],
  [/^You threw\. It is secret until (.+) throws too\. It counts/, (name) => `waiting for ${name} rated`],
  [/^At whom\? Write:/, () => "whom"],
  [/^At whom\? These wait for your throw: (.+)\. Write:/, (all) => `whom ${all.split(", ").join(" ")}`],
  [
    /^(.+) challenges you to rock, paper, scissors! (Answer with|Write to me alone): throw (.+)$/,
    (name, how, rest) => `challenged by ${name}${asked(how, rest)}`,
  ],
  [
    /^(.+) has thrown\. Now it is for you\. (Answer with|Write to me alone): throw (.+)$/,
    (name, how, rest) => `thrown by ${name}${asked(how, rest)}`,
  ],
  [/^(.+) has withdrawn the challenge\.$/, (name) => `withdrawn ${name}`],
  [/^(.+) does not want to duel\.$/, (name) => `declined ${name}`],
  [/^(.+) has left: your duel is off\.$/, (name) => `gone ${name}`],
  [/^Your duel with (.+) was cancelled: too many duels were open/, (name) => `crowded ${name}`],
  [/^Your duel with (.+) was left open for a week, and is off\.$/, (name) => `lapsed ${name}`],
  [
    /^(?:Last: )?You threw (\w+), (.+) threw (\w+): (.+)$/,
    (own, name, other, end) => resultOf(own, other, name, end),
  ],
  [/^(.+): it is for you to throw\. Write: throw rock @/, (name) => `${name} waits`],
  [/^(.+): you threw, it is for them to throw\.$/, (name) => `${name} hidden`],
  [/^(.+): you threw (\w+), it is for them to throw\.$/, (name, hand) => `${name} ${hand}`],
  [/^You have no open duels\./, () => "none"],
  [/^note \d+$/, () => "note"],
];

function resultOf(own: string, other: string, name: string, words: string): string {
  const end = words.startsWith("a draw.") ? "draw" : words.startsWith("you win!") ? "won" : "lost";
  const counts = words.endsWith(" It counts on the ladder.") ? " counts" : "";
  return `result ${own} ${other} of ${name} ${end}${counts}`;
}

/** Where to answer, and whether it may count. */
function asked(how: string, rest: string): string {
  return `${rest.endsWith(" add: rated.") ? " rated" : ""}${how === "Write to me alone" ? ", in private" : ""}`;
}

function lineKind(line: string): string | undefined {
  for (const [pattern, kind] of kinds) {
    const found = pattern.exec(line);
    if (found) return kind(...found.slice(1)).replace(/^note$/, line);
  }
  return undefined;
}

/** Of a reply, all of whose lines belong together. */
export function kindOf(text: string): string {
  const whole = /^(?:.+: (?:you threw|it is for you)|You have no open duels)/.test(text)
    ? undefined
    : lineKind(text);
  const kind = whole ?? ["games", ...text.split("\n").map(lineKind)].join(", ");
  assert.ok(kind !== undefined && !kind.includes("undefined"), `a text of no known kind: ${text}`);
  return kind;
}

/** Where others read along, it begins with whom it is for. */
function toldKind(line: string): string {
  const [, name, text] = /^([^\s:]+): (.*)$/.exec(line) ?? [];
  return name === undefined ? kindOf(line) : `${name}: ${kindOf(text)}`;
}

/** Line by line, who is sent what; what is for a ladder, as it is. */
export function sentBy(effects: readonly Effect[]): string[] {
  return effects
    .flatMap(({ to, body }) => {
      if (to.startsWith("ladder/")) return [`${to} ${JSON.stringify(body)}`];
      const text = String(body.text);
      if ("said" in body) return [`${to} reply ${kindOf(text)}`];
      return text.split("\n").map((line) => `${to} told ${toldKind(line)}`);
    })
    .sort();
}
