import { usages } from "../chat/grammar.ts";
import { broken } from "../chat/words.ts";
import type { Refusal } from "../refusals.ts";
import type { Both, PersonId } from "../values.ts";
import type { Discuss, LadderCommand, NamedPerson } from "./commands.ts";
import type { Counted, LadderEvent, Reported } from "./events.ts";
import { ladderLimits } from "./limits.ts";
import { reporterIn } from "./matches/pending-matches.ts";
import { isPlayer, playerCalled, standingOf, standingsAfter } from "./questions.ts";
import type { Ladder, MatchNumber, PendingMatch, PlayerNumber } from "./state.ts";

type Decide = (
  command: LadderCommand,
) => { readonly events: readonly LadderEvent[] } | { readonly refusal: Refusal };

/** The reply to a message and its effects. */
interface Response {
  readonly events?: readonly LadderEvent[];
  readonly reply: string;
  /** A notice for the other player. */
  readonly tells?: { readonly person: PersonId; readonly text: string };
}

/** CH2: a message's effects and its reply are one entry. A refusal is a reply too, so a retry gets the same answer. */
export function discuss(
  ladder: Ladder,
  { question, asker, said, network, heardAt, to, isBroken }: Discuss,
  decide: Decide,
): { readonly events: readonly LadderEvent[] } {
  const scene = { ladder, asker, network, decide };
  const { events = [], reply, tells }: Response = isBroken ? { reply: broken } : respond(scene, question);
  const isIn = asker !== null && (events.length > 0 || isPlayer(ladder, asker.person));
  const registered = question.type === "register" && isIn && { person: asker.person, heardAt };
  const answered = { type: "answered", reply, said, to } as const;
  const told = tells && asker && { tells: { ...tells, by: asker.person } };
  return { events: [...events, { ...answered, ...told, ...(registered && { registered }) }] };
}

interface Scene {
  readonly ladder: Ladder;
  /** Null for a person without a nickname, who can only ask read-only questions. */
  readonly asker: NamedPerson | null;
  readonly network: string | undefined;
  readonly decide: Decide;
}

function respond(scene: Scene, question: Discuss["question"]): Response {
  switch (question.type) {
    case "register":
      return register(scene);
    case "match":
      return report(scene, question);
    case "rating":
      return { reply: ratingOf(scene.ladder, question.of) };
    case "history":
      return { reply: historyOf(scene.ladder, question.of) };
    case "top":
      return { reply: top(scene.ladder) };
    case "undo":
      return undo(scene);
    case "confirm":
      return settle(scene, "confirm", question.of);
    case "decline":
      return settle(scene, "decline");
  }
}

function register({ ladder, asker, decide }: Scene): Response {
  const { person, name } = asker!;
  const decision = decide({
    type: "enrol",
    person,
    name,
    rating: undefined,
    asker: { by: person, role: "person" },
  });
  if ("refusal" in decision) return refused(decision.refusal, [asker!]);
  const { events } = decision;
  const [first] = events;
  const rating =
    first.type === "enrolled"
      ? first.rating
      : ladder.players.ratingOf((first as { player: PlayerNumber }).player);
  const reply = `You are on the ladder${titled(ladder)} with ${rounded(rating)} points. After a match, write: match @opponent 3-1`;
  return { events, reply };
}

function report(
  { ladder, asker, network, decide }: Scene,
  { players, scores }: Extract<Discuss["question"], { readonly type: "match" }>,
): Response {
  const { person } = asker!;
  const result = { players: [players[0].person, players[1].person] as const, scores };
  const decision = decide({ type: "report", result, asker: { by: person, role: "person" }, network });
  if ("refusal" in decision) return refused(decision.refusal, players);
  const { events } = decision;
  const [event] = events as readonly [Counted | Reported];
  const played = `Match ${event.match}: ${players[0].name} ${scores[0]}, ${players[1].name} ${scores[1]}.`;
  const other = players.find((each) => each.person !== person)!;
  const news = event.type === "counted" ? counting(ladder, event) : waiting(event, asker!, other);
  const text = `${asker!.name} ${news.did}. ${played} ${news.text}`;
  return { events, reply: `${played} ${news.reply}`, tells: { person: other.person, text } };
}

/** LD14: a report that matches the opponent's earlier report counts at once. */
function counting(ladder: Ladder, event: Counted) {
  const text = changes(event, playerNames(ladder, event.players));
  const did = ladder.pending.get(event.match) ? "has confirmed a match" : "has reported a match";
  return { did, reply: text, text };
}

function waiting({ disputes }: Reported, me: NamedPerson, other: NamedPerson) {
  if (disputes === undefined)
    return {
      did: "has reported a match",
      reply: `It counts once ${other.name} confirms it; they can write: confirm`,
      text: "It counts when you write: confirm (if it is wrong: decline).",
    };
  return {
    did: `gives another score than you did in match ${disputes}`,
    reply: `${other.name} has reported another score, in match ${disputes}. If that one is right, write: confirm @${other.name}`,
    text: `If that is right, write: confirm @${me.name}. Neither counts unless one of you confirms.`,
  };
}

/** Voids the latest match that the person reported, whether it counts or waits for confirmation. */
function undo({ ladder, asker, decide }: Scene): Response {
  const { person, name } = asker!;
  const latest = latestReportedBy(ladder, person);
  if (!latest) return { reply: "You have no match to undo." };
  const { match, opponent } = latest;
  const decision = decide({ type: "void", match, asker: { by: person, role: "person" } });
  if ("refusal" in decision) return refused(decision.refusal, []);
  return {
    events: decision.events,
    reply: `Match ${match} is void and no longer counts.`,
    tells: { person: ladder.players.personOf(opponent), text: `${name} has voided match ${match}.` },
  };
}

/** LD9: settles the oldest match that waits for the asker, or the oldest one that `of` reported. */
function settle({ ladder, asker, decide }: Scene, type: "confirm" | "decline", of?: NamedPerson): Response {
  const { person: by, name } = asker!;
  const player = playerCalled(ladder, by);
  const match = player && oldestWaitingFor(ladder, player, of);
  const whose = of ? ` that ${of.name} has reported` : "";
  if (match === undefined) return { reply: `No match${whose} is waiting for you to confirm or decline.` };
  const { players: both } = ladder.pending.get(match)!;
  const decision = decide({ type, match, by });
  if ("refusal" in decision) return refused(decision.refusal, []);
  const [event] = decision.events;
  const isCounted = event.type === "counted";
  const outcome = isCounted ? changes(event, playerNames(ladder, both)) : "It does not count.";
  const person = ladder.players.personOf(both[0] === player ? both[1] : both[0]);
  const text = `${name} has ${isCounted ? "confirmed" : "declined"} match ${match}. ${outcome}`;
  const reply = `Match ${match} ${isCounted ? "counts" : "is declined"}. ${outcome}`;
  return { events: decision.events, reply, tells: { person, text } };
}

/** The oldest match waiting for this player; with `of`, the oldest that this person reported. */
function oldestWaitingFor(
  { pending, players }: Ladder,
  player: PlayerNumber,
  of?: NamedPerson,
): MatchNumber | undefined {
  const isTheirs = (match: MatchNumber) => players.personOf(reporterIn(pending.get(match)!)) === of?.person;
  return [...pending.waitingFor(player)].find((match) => of === undefined || isTheirs(match));
}

/** The latest match that the person reported and can still void. */
function latestReportedBy(
  ladder: Ladder,
  person: PersonId,
): { readonly match: MatchNumber; readonly opponent: PlayerNumber } | undefined {
  const { counted, pending } = ladder;
  const player = playerCalled(ladder, person);
  if (player === undefined) return undefined;
  const reported = ({ players, reporter }: Pick<PendingMatch, "players" | "reporter">) => {
    const seat = reporter === "first" ? 0 : 1;
    return (reporter === "first" || reporter === "second") && players[seat] === player
      ? players[1 - seat]
      : undefined;
  };
  let latest: { readonly match: MatchNumber; readonly opponent: PlayerNumber } | undefined;
  const consider = (match: MatchNumber, opponent: PlayerNumber | undefined) => {
    if (opponent !== undefined && match > (latest?.match ?? 0)) latest = { match, opponent };
  };
  for (const match of pending.reportedBy(player)) consider(match, reported(pending.get(match)!));
  // Check all of them: with confirmation, matches do not count in the order in which they were reported.
  const oldest = Math.max(0, counted.size - 1 - ladderLimits.ownRecountMax);
  for (let index = oldest; index < counted.size; index++) {
    const played = counted.get(index);
    if (!counted.isVoided(index)) consider(played.match, reported(played));
  }
  return latest;
}

function ratingOf(ladder: Ladder, { person, name }: NamedPerson): string {
  const player = playerCalled(ladder, person);
  if (player === undefined) return notOnLadder(name);
  const { rating, rank, wins, draws, losses } = standingOf(ladder, player);
  const place = rank === undefined ? "has left the ladder" : `is number ${rank} of ${ladder.players.present}`;
  return `${name} ${place}, with ${rounded(rating)} points: ${wins} won, ${draws} drawn, ${losses} lost.`;
}

const shownMax = 5;

function top(ladder: Ladder): string {
  const best = standingsAfter(ladder, undefined, 2 * shownMax);
  if (best.length === 0) return `Nobody is on the ladder yet. To be the first, write: ${usages.register}`;
  return best.map(({ rank, name, rating }) => `${rank}. ${name} ${rounded(rating)}`).join("\n");
}

/** How many recent matches of the ladder to search for those of one player. */
const lookedThroughMax = 10_000;

/** A player's latest matches that count, newest first. */
function historyOf(ladder: Ladder, { person, name }: NamedPerson): string {
  const player = playerCalled(ladder, person);
  if (player === undefined) return notOnLadder(name);
  const { counted, players } = ladder;
  const lastOrder = players.lastOrderOf(player);
  if (lastOrder === null) return `${name} has no matches yet.`;
  const newest = counted.size - 1 - (counted.lastOrder - lastOrder);
  const lines: string[] = [];
  let after = players.ratingOf(player);
  for (let index = newest; index >= Math.max(0, newest - lookedThroughMax); index--) {
    const both = counted.playersOf(index);
    const seat = both.indexOf(player);
    if (seat < 0 || counted.isVoided(index)) continue;
    const { match, points, before } = counted.get(index);
    const [own, other] = [points[seat], points[1 - seat]];
    const ended = own === other ? "drew with" : own > other ? "beat" : "lost to";
    const change = signed(after - before[seat].rating);
    lines.push(
      `Match ${match}: ${name} ${ended} ${players.nameOf(both[1 - seat])} ${own}-${other} (${change})`,
    );
    after = before[seat].rating;
    if (lines.length === shownMax) break;
  }
  return lines.length === 0 ? `${name} has no recent matches.` : lines.join("\n");
}

function changes({ before, change }: Counted, names: Both<string>): string {
  const one = (which: 0 | 1) =>
    `${names[which]} ${rounded(before[which] + change[which])} (${signed(change[which])})`;
  return `${one(0)}, ${one(1)}.`;
}

function signed(change: number): string {
  const by = Math.round(change);
  return `${by < 0 ? "-" : "+"}${Math.abs(by)}`;
}

/** Rewrites messages that contain ids: people in a chat know each other by nickname. */
function refused(refusal: Refusal, people: readonly NamedPerson[]): Response {
  if (refusal.code === "player.not-found") {
    const missing = people.find(({ person }) => person === refusal.data?.userId);
    return { reply: notOnLadder(missing?.name ?? "That person") };
  }
  if (refusal.code === "player.banned") {
    const banned = people.find(({ person }) => person === refusal.data?.userId);
    return { reply: `${banned?.name ?? "That person"} is banned from this ladder.` };
  }
  return { reply: refusal.message };
}

function notOnLadder(name: string): string {
  return `${name} is not on this ladder yet. To join it: ${usages.register}`;
}

function playerNames({ players }: Ladder, [one, other]: Both<PlayerNumber>): Both<string> {
  return [players.nameOf(one), players.nameOf(other)];
}

function titled({ settings }: Ladder): string {
  return settings.title === "" ? "" : ` ${settings.title}`;
}

function rounded(rating: number): string {
  return String(Math.round(rating));
}
