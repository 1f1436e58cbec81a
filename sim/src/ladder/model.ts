import { isDeepStrictEqual } from "node:util";
import type { LadderEvent, Millis } from "@openseat/kernel";
import type { Entry } from "@openseat/server";
import { must } from "../rule.ts";
import type { OtherStreams } from "../specification.ts";
import { inPlainWords } from "./discussion.ts";
import {
  type EventOf,
  fileUnderWay,
  inStatus,
  type Ladder,
  type LadderMatch,
  mayManage,
  newLadder,
  playerCalled,
  roleOf,
  unusedUntilIn,
  withMatch,
  withPlayer,
} from "./ladder.ts";
import { count, report, takeBack } from "./matches.ts";
import { newcomer } from "./ratings.ts";

/** The host's name for commands caused by a due time or by another stream. */
const clock = "@clock";
const outbox = "@outbox";

/** External results: missing players are added, then the match counts. */
const counted = "(enrolled |returned ){0,2}counted ";

/** The event types that each command may write in one entry. */
const outcomesAllowed: Record<string, RegExp> = {
  create: /^created$/,
  configure: /^configured$/,
  end: /^expired$/,
  enrol: /^(enrolled|returned)$/,
  leave: /^left$/,
  ban: /^banned( left)?( lapsed)*$/,
  unban: /^unbanned$/,
  report: /^(reported( lapsed)?|counted( declined)?)$/,
  confirm: /^counted( declined)?$/,
  decline: /^declined$/,
  void: /^voided$/,
  import: /^import-begun$/,
  deliver: new RegExp(`^(${counted}|renamed |left )*received$`),
  tick: new RegExp(`^(lapsed( lapsed)*|(lapsed )*(${counted})*imported|expired)$`),
};

/** LD9, and imports: when the ladder next has work to do. */
export function dueOf(ladder: Ladder): Millis | undefined {
  const times = inStatus(ladder, "pending").map(({ lapsesAt }) => lapsesAt!);
  const file = fileUnderWay(ladder);
  // Other commands may run between two chunks of an import.
  if (file) times.push((file.at + 1) as Millis);
  const unused = unusedUntilIn(ladder);
  if (unused !== undefined) times.push(unused as Millis);
  return times.length > 0 ? (Math.min(...times) as Millis) : undefined;
}

/** Applies one entry to the ladder. Throws `RuleBroken` when the rules do not allow that entry. */
export function foldLadder(
  before: Ladder | undefined,
  entry: Entry<LadderEvent>,
  otherStreams: OtherStreams,
): Ladder {
  if (entry.command === "discuss") return discuss(before, entry, otherStreams);
  const { at, by } = entry;
  must(before === undefined || at >= before.at, "RM5", `time went back from ${before?.at} to ${at}`);
  const [command] = entry.command.split(" ", 1);
  const outcome = entry.events.map(({ type }) => type).join(" ");
  must(
    outcomesAllowed[command]?.test(outcome) ?? false,
    outcomeRule(command),
    `a ${command} resulted in "${outcome}"`,
  );
  must((command === "tick") === (by === clock), "AU3", `a ${command} by ${by}`);
  must((command === "deliver") === (by === outbox), "AU3", `a ${command} by ${by}`);
  checkDue(before, command, at);
  checkOpen(before, command, outcome);
  let ladder = before && { ...before, at };
  for (const event of entry.events) ladder = foldEvent(ladder, event, entry);
  must(ladder !== undefined, "RM5", "an entry without events");
  if (command === "tick") checkTick(before!, ladder);
  return ladder;
}

/** RM8: after the end nobody joins and nothing counts, except for the rest of an import. */
function checkOpen(before: Ladder | undefined, command: string, outcome: string): void {
  if (!before?.closed || command === "tick") return;
  const isStill =
    /^(leave|decline|void|deliver)$/.test(command) && !/enrolled|returned|counted/.test(outcome);
  must(isStill, "RM8", `a ${command} resulted in "${outcome}" on a ladder that has ended`);
}

/** CH2: a message has the effect of its question, or changes nothing. */
function discuss(before: Ladder | undefined, entry: Entry<LadderEvent>, otherStreams: OtherStreams): Ladder {
  const { at, key } = entry;
  must(before !== undefined, "RM5", "a question to a ladder that does not exist");
  must(at >= before.at, "RM5", `time went back from ${before.at} to ${at}`);
  checkDue(before, "discuss", at);
  const plain = inPlainWords(before, entry, otherStreams.asked(key));
  const ladder = plain ? foldLadder(before, plain, otherStreams) : { ...before, at };
  const answered = entry.events.at(-1);
  return answered?.type === "answered" && answered.registered
    ? registered(ladder, answered.registered)
    : ladder;
}

/** Work that is due before an entry needs an entry of its own first. */
function checkDue(before: Ladder | undefined, command: string, at: Millis): void {
  const due = (before && dueOf(before)) ?? Number.POSITIVE_INFINITY;
  if (command === "tick") must(due <= at, "LD9", `due work was done ${due - at} ms early`);
  else must(due > at, "LD9", `a ${command} although other work was overdue by ${at - due} ms`);
}

function outcomeRule(command: string): string {
  if (command === "tick") return "LD9";
  return command === "deliver" ? "LD12" : "LD2";
}

/** A tick does all due work, and any tick continues an import. */
function checkTick(before: Ladder, after: Ladder): void {
  const unused = unusedUntilIn(after) ?? Number.POSITIVE_INFINITY;
  must(unused > after.at, "LM7", "an unused ladder continues");
  const late = inStatus(after, "pending").find(({ lapsesAt }) => lapsesAt! <= after.at);
  must(late === undefined, "LD9", `match ${late?.number} was not confirmed in time but did not lapse`);
  const file = fileUnderWay(before);
  const done = after.files.find(({ digest }) => digest === file?.digest)?.done;
  must(!file || done! > file.done, "LD5", "an import does not continue");
}

function foldEvent(before: Ladder | undefined, event: LadderEvent, entry: Entry<LadderEvent>): Ladder {
  if (event.type === "created") {
    must(before === undefined, "RM5", "a ladder was created twice");
    const { rating, settings, creator } = event;
    must(creator === entry.by, "AU3", `${entry.by} created a ladder as ${creator}`);
    return newLadder({ rating, creator, createdAt: entry.at }, settings);
  }
  must(before !== undefined, "RM5", `${event.type} in a ladder that was never created`);
  return apply(before, event, entry);
}

function apply(
  ladder: Ladder,
  event: Exclude<LadderEvent, { type: "created" }>,
  entry: Entry<LadderEvent>,
): Ladder {
  switch (event.type) {
    case "configured":
      return configure(ladder, event, entry);
    case "enrolled":
      return enrol(ladder, event, entry);
    case "returned":
      return comeBack(ladder, event, entry);
    case "left":
      return leave(ladder, event, entry);
    case "banned":
    case "unbanned":
      return ban(ladder, event, entry);
    case "reported":
      return report(ladder, event, entry);
    case "counted":
      return count(ladder, event, entry);
    case "declined":
    case "lapsed":
      return drop(ladder, event, entry);
    case "voided":
      return takeBack(ladder, event, entry);
    case "import-begun":
      return beginImport(ladder, event, entry);
    case "imported":
      return importRows(ladder, event, entry);
    case "received":
      return receive(ladder, event, entry);
    case "renamed":
      return withPlayer(ladder, event.player, { name: event.name });
    case "answered":
      return ladder;
    case "expired":
      return expire(ladder, event, entry);
  }
}

/** LM7, RM8. */
function expire(
  ladder: Ladder,
  { reason }: EventOf<"expired">,
  { command, at, by }: Entry<LadderEvent>,
): Ladder {
  if (reason === "ended_by_hand") {
    const mayEnd = by === ladder.terms.creator || roleOf(by) === "operator";
    must(command === "end" && mayEnd && !ladder.ended, "RM8", `a ${command} by ${by} ended a ladder`);
    return { ...ladder, ended: true, closed: true };
  }
  const isUnused = (unusedUntilIn(ladder) ?? Number.POSITIVE_INFINITY) <= at;
  must(
    isUnused && command === "tick",
    "LM7",
    `a ${command} ended a ladder that was used, or ended it too early`,
  );
  return { ...ladder, ended: true };
}

/** Earlier messages of the directory may not come after this one. */
function registered(
  ladder: Ladder,
  { person, heardAt }: { readonly person: string; readonly heardAt: number },
): Ladder {
  return { ...ladder, registrations: new Map([...ladder.registrations, [person, heardAt]]) };
}

function configure(
  ladder: Ladder,
  { settings }: EventOf<"configured">,
  { by, command }: Entry<LadderEvent>,
): Ladder {
  must(by === ladder.terms.creator || roleOf(by) === "operator", "AU2", `${by} changed a ladder`);
  const expected = { ...ladder.settings, ...JSON.parse(command.slice("configure ".length)) };
  must(isDeepStrictEqual(settings, expected), "RM1", "a configuration set other settings");
  return { ...ladder, settings };
}

function enrol(ladder: Ladder, event: EventOf<"enrolled">, entry: Entry<LadderEvent>): Ladder {
  const { player, person, name, rating } = event;
  const { terms, players, at } = ladder;
  must(player === players.length + 1, "LD2", `player ${player} after ${players.length}`);
  must(playerCalled(ladder, person) === undefined, "RM3", `${person} is in the ladder twice`);
  const isAsked = entry.command.startsWith("enrol ");
  if (isAsked) checkEnrolment(ladder, person, entry);
  const given = isAsked ? (JSON.parse(entry.command.slice("enrol ".length))[1] as number | null) : null;
  must(rating === (given ?? terms.rating.start), "LD3", `${person} starts with ${rating}`);
  const newPlayer = { number: player, person, name, enrolledAt: at, leftAt: null, start: rating, version: 0 };
  // A result from an arena makes the ladder count as used again.
  return {
    ...ladder,
    ended: ladder.closed,
    players: [...players, { ...newPlayer, banned: false, mark: newcomer(terms.rating, rating) }],
  };
}

function comeBack(ladder: Ladder, { player, name }: EventOf<"returned">, entry: Entry<LadderEvent>): Ladder {
  const { person, leftAt, banned } = ladder.players[player - 1];
  must(leftAt !== null, "RM3", `${person} came back without having left`);
  must(!banned, "LD13", `${person} came back despite a ban`);
  if (entry.command.startsWith("enrol ")) checkEnrolment(ladder, person, entry);
  return withPlayer(ladder, player, { name, leftAt: null });
}

function checkEnrolment(ladder: Ladder, person: string, { by, command }: Entry<LadderEvent>): void {
  const [wanted] = JSON.parse(command.slice("enrol ".length));
  must(wanted === person, "RM3", `${person} was enrolled instead of ${wanted}`);
  const isOpen = ladder.settings.open && by === person;
  must(isOpen || mayManage(ladder, by), "AU2", `${by} enrolled ${person}`);
}

function leave(ladder: Ladder, { player }: EventOf<"left">, { by, command }: Entry<LadderEvent>): Ladder {
  const { person, leftAt } = ladder.players[player - 1];
  must(leftAt === null, "RM3", `${person} left twice`);
  // CH5: a person asks to be forgotten. received.ts checks what the directory sends.
  if (command !== "deliver" && command !== `ban ${person}`) {
    must(command === `leave ${person}`, "RM3", `${person} left by a ${command}`);
    must(by === person || mayManage(ladder, by), "AU2", `${by} took ${person} out`);
  }
  return withPlayer(ladder, player, { leftAt: ladder.at });
}

/** LD13: a banned player leaves the ladder, and their waiting reports are dropped. */
function ban(
  ladder: Ladder,
  { type, player }: EventOf<"banned" | "unbanned">,
  { by, command, events }: Entry<LadderEvent>,
): Ladder {
  const { person, banned, leftAt } = ladder.players[player - 1];
  const isBan = type === "banned";
  must(command === `${isBan ? "ban" : "unban"} ${person}`, "LD13", `${person} was ${type} by a ${command}`);
  must(mayManage(ladder, by), "AU2", `${by} ${type} ${person}`);
  must(banned !== isBan, "LD13", `${person} was ${type} twice`);
  if (isBan) {
    const hasLeft = leftAt !== null || events.some((event) => event.type === "left");
    must(hasLeft, "LD13", `${person} is banned but still on the ladder`);
    const waiting = inStatus(ladder, "pending").filter(({ players }) => players.includes(player));
    const lapsed = events.flatMap((event) => (event.type === "lapsed" ? [event.match as number] : []));
    const isWhole = isDeepStrictEqual(
      lapsed.toSorted((a, b) => a - b),
      waiting.map(({ number }) => number),
    );
    must(isWhole, "LD13", `${lapsed} lapsed when ${person} was banned, instead of all waiting matches`);
  }
  return withPlayer(ladder, player, { banned: isBan });
}

/** LD9: the match never counts. */
function drop(ladder: Ladder, event: EventOf<"declined" | "lapsed">, entry: Entry<LadderEvent>): Ladder {
  const { type, match: number } = event;
  const match = ladder.matches[number - 1];
  must(match?.status === "pending", "LD9", `match ${number} was ${match?.status} but has ${type}`);
  if (type === "lapsed" && entry.command === "tick") {
    const early = match.lapsesAt! - ladder.at;
    must(early <= 0, "LD9", `match ${number} lapsed ${early} ms early`);
  } else if (type === "declined" && !settlesDispute(ladder, match, entry)) {
    must(entry.command === `decline ${number}`, "LD9", `match ${number} was declined by a ${entry.command}`);
    const opponent = match.players[match.reporter === "first" ? 1 : 0];
    must(ladder.players[opponent - 1].person === entry.by, "LD9", `${entry.by} declined match ${number}`);
  }
  return withMatch(ladder, number, { status: type, changedAt: ladder.at });
}

/** LD14: the same entry counts the conflicting report. */
function settlesDispute(ladder: Ladder, { number, disputes }: LadderMatch, { events }: Entry<LadderEvent>) {
  return events.some(
    (event) =>
      event.type === "counted" &&
      (event.match === disputes || ladder.matches[event.match - 1]?.disputes === number),
  );
}

function beginImport(
  ladder: Ladder,
  event: EventOf<"import-begun">,
  { by, command }: Entry<LadderEvent>,
): Ladder {
  const { digest, rows } = event;
  must(mayManage(ladder, by), "AU2", `${by} imported matches`);
  must(command === `import ${digest}`, "LD1", `a ${command} started an import of ${digest}`);
  must(!ladder.files.some((file) => file.digest === digest), "LD1", `file ${digest} was imported twice`);
  must(fileUnderWay(ladder) === undefined, "LD5", "two files are imported at once");
  return { ...ladder, files: [...ladder.files, { digest, rows, done: 0, at: ladder.at }] };
}

function importRows(
  ladder: Ladder,
  { digest, done }: EventOf<"imported">,
  { events }: Entry<LadderEvent>,
): Ladder {
  const file = fileUnderWay(ladder);
  const counted = events.filter(({ type }) => type === "counted").length;
  must(file?.digest === digest, "LD5", `rows of ${digest} were counted when ${file?.digest} was imported`);
  must(
    done === file.done + counted,
    "LD5",
    `${counted} rows were counted after ${file.done}, but the entry says ${done}`,
  );
  const files = ladder.files.map((each) => (each === file ? { ...file, done, at: ladder.at } : each));
  return { ...ladder, files };
}

function receive(
  ladder: Ladder,
  { from, version }: EventOf<"received">,
  { events }: Entry<LadderEvent>,
): Ladder {
  const received = ladder.sources.get(from) ?? 0;
  must(version > received, "LD12", `${from} was received up to ${version} after ${received}`);
  const origins = events.flatMap((event) => (event.type === "counted" ? [event.origin] : []));
  // The directory sends more than results. The last result may belong to a banned player, and none counts after the
  // ladder's end.
  const isSkipping = ladder.closed || ladder.players.some(({ banned }) => banned);
  const isLast = from.startsWith("directory/") || isSkipping || origins.at(-1) === `${from}#${version}`;
  must(isLast, "LD12", `${from} was received up to ${version} through ${origins}`);
  return { ...ladder, sources: new Map([...ladder.sources, [from, version]]) };
}
