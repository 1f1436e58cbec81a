import { isDeepStrictEqual } from "node:util";
import type { Both, DirectoryEvent, LadderEvent } from "@openseat/kernel";
import type { Entry, Outgoing, StreamName } from "@openseat/server";
import { limits } from "../limits.ts";
import { isKind, kindOf } from "../requests.ts";
import { must } from "../rule.ts";
import { type Directory, type EventOf, hasReaders, isStopped, personKnown } from "./directory.ts";
import { unsolicited } from "./model.ts";
import { checkNoAddress, checkSecrets } from "./secrets.ts";

/** An effect that an entry must have on another stream or channel. */
interface Expected {
  readonly to: string;
  /** The exact body, or texts that it must contain. */
  readonly body: object | readonly string[];
  /** For a reply: its recipient. */
  readonly replyTo?: string | null;
}

/** CH4, CH7, LD12: the effects of a directory entry. `directory` is the state after it. */
export function effectsOf(directory: Directory, { events }: Entry<DirectoryEvent>): Expected[] {
  const notices = new Map<string, string[]>();
  const others: Expected[] = [];
  const tell = (person: string, ...facts: string[]) => {
    const known = personKnown(directory, person);
    if (!known) return;
    const { home, nickname } = known;
    if (isStopped(directory, home)) return;
    // In a group, the text must name its recipient.
    const name = hasReaders(directory, home) ? [`${nickname}: `] : [];
    notices.set(home, [...(notices.get(home) ?? []), ...name, ...facts]);
  };
  // The counters already include this entry.
  const unasked: string[] = events.flatMap(unsolicited).map(({ to }) => to);
  const tellUnasked = (person: string, ...facts: string[]) => {
    unasked.splice(unasked.indexOf(person), 1);
    const left = unasked.filter((each) => each === person).length;
    const nth = (directory.notices.get(person)?.count ?? 0) - left;
    if (nth === limits.notices) tell(person, "limit of notifications");
    else if (nth < limits.notices) tell(person, ...facts);
  };
  for (const event of events) {
    switch (event.type) {
      case "duel-opened":
        for (const seat of event.tells ?? [])
          tellUnasked(event.players[seat], event.names[0], "challenges you");
        break;
      case "thrown":
        if (event.by === 1) tell(event.players[0], event.names[1], "has thrown");
        for (const seat of event.tells ?? []) tellUnasked(event.players[seat], event.names[0], "has thrown");
        break;
      case "duel-ended":
        tell(event.players[otherThan(event.by)], event.names[event.by], ...event.hands);
        if (event.ladder !== null) others.push(matchOf(event));
        break;
      case "duel-dropped":
        for (const seat of event.tells ?? []) tellUnasked(event.players[seat], event.names[otherThan(seat)]);
        break;
      case "passed":
        for (const { person, text } of event.notices) tellUnasked(person, text);
        break;
      case "named":
        for (const ladder of personKnown(directory, event.person)!.ladders)
          others.push({ to: `ladder/${ladder}`, body: { named: [event.person, event.nickname] } });
        break;
      case "forgotten":
        for (const ladder of event.ladders)
          others.push({ to: `ladder/${ladder}`, body: { gone: event.person } });
        break;
      case "answered":
        if (event.to !== null) others.push(replyOf(event, event.to));
        break;
      default:
    }
  }
  return [...others, ...Array.from(notices, ([to, body]) => ({ to, body }))];
}

function replyOf({ text: said, reply: text, person }: EventOf<"answered">, to: string): Expected {
  return { to, body: { said, text }, replyTo: person };
}

/** The effects of a ladder entry: the reply to a message, and the notice to the other player. */
export function effectsOfLadder({ events }: Entry<LadderEvent>): Expected[] {
  return events.flatMap((event): Expected[] => {
    if (event.type !== "answered") return [];
    const { to, said, reply: text, tells } = event;
    const reply = to === null ? [] : [{ to, body: { said, text } }];
    if (!tells) return reply;
    return [...reply, { to: "directory/main", body: { tell: tells.person, text: tells.text, by: tells.by } }];
  });
}

const otherThan = (seat: 0 | 1) => (seat === 0 ? 1 : 0);

function matchOf({ players, names, winner, ladder }: EventOf<"duel-ended">): Expected {
  const scores: Both<number> = [Number(winner === 0), Number(winner === 1)];
  return { to: `ladder/${ladder}`, body: { players, names, scores, duel: true } };
}

/** Compares the stored effects with the expected ones. `directory` is the state after its own entries. */
export function checkEffects(
  version: number,
  stored: readonly Outgoing[],
  expected: readonly Expected[],
  directory?: Directory,
): void {
  const unwanted = directory && stored.find(({ to }) => isStopped(directory, to));
  must(!unwanted, "CH8", `version ${version} sends to ${unwanted?.to}, which has opted out with STOP`);
  const targets = (items: readonly { to: string }[]) => items.map(({ to }) => to).sort();
  const [targetsStored, wanted] = [targets(stored), targets(expected)];
  const rule = [...targetsStored, ...wanted].some((to) => to.startsWith("ladder/")) ? "LD12" : "CH7";
  must(
    isDeepStrictEqual(targetsStored, wanted),
    rule,
    `version ${version} sends to ${targetsStored} instead of ${wanted}`,
  );
  const twice = targetsStored.find(
    (to, index) => targetsStored[index + 1] === to && isKind(kindOf(to as StreamName)),
  );
  // A receiving stream deduplicates by version alone, so one version must not send twice.
  must(twice === undefined, rule, `version ${version} sends two messages to ${twice}`);
  const left = [...expected];
  for (const item of stored) {
    checkNoAddress(JSON.stringify(item.body), `what is sent to ${item.to}`);
    // In a group, notices to several people may go to the same conversation.
    const index = left.findIndex(({ to, body }) => to === item.to && isBody(item.body, body));
    const words = `${JSON.stringify(item.body)} instead of ${JSON.stringify(left)}`;
    must(index >= 0, rule, `version ${version} sends ${words} to ${item.to}`);
    const [{ replyTo }] = left.splice(index, 1);
    if (!directory) continue;
    const atHome = directory.people.filter(({ home }) => home === item.to).map(({ person }) => person);
    checkSecrets(directory, item, replyTo === undefined ? atHome : [replyTo ?? ""]);
  }
}

function isBody(stored: Outgoing["body"], expected: Expected["body"]): boolean {
  if (!Array.isArray(expected)) return isDeepStrictEqual(stored, expected);
  const text = String(stored.text);
  return Object.keys(stored).length === 1 && expected.every((fact) => text.includes(fact));
}
