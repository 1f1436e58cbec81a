import assert from "node:assert/strict";
import {
  type Directory,
  type DirectoryCommand,
  type DirectoryEvent,
  type DuelNumber,
  directoryDecider,
  type Effect,
  type Hand,
  type HandleMessage,
  type LadderMeant,
  type RefusalCode,
  type Saved,
} from "@openseat/kernel";
import { millis, person } from "../room-stage.ts";

const { decide, effects, evolve, nextDue, tick } = directoryDecider;
const { save } = directoryDecider.snapshots;

export const hours = 60 * 60 * 1000;
export const day = 24 * hours;
export const week = 7 * day;

/** A speaker and a conversation. */
export type Place = Pick<HandleMessage, "channel" | "speaker" | "place" | "title" | "isSent">;

/** A person with a token. */
export const web = (name: string): Place => ({
  channel: "web",
  speaker: { person: person(name) },
  isSent: true,
});
/** A private conversation, with replies in the response. */
export const sms = (number: string): Place => ({
  channel: "sms",
  speaker: { sender: number },
  place: number,
  isSent: false,
});
/** A private conversation, with replies sent separately; or a group. */
export const telegram = (sender: string, group?: string): Place => ({
  channel: "telegram",
  speaker: { sender },
  place: group ?? sender,
  ...(group !== undefined && { title: `Group ${group}` }),
  isSent: true,
});

export const ladder = (id: string, terms: Partial<LadderMeant> = {}): LadderMeant => ({
  id,
  takesDuels: true,
  admits: true,
  ...terms,
});
export const club = ladder("club");
export const quiet = ladder("quiet", { takesDuels: false });
/** A ladder on which only its operators can enrol people. */
export const closed = ladder("closed", { admits: false });

export const hear = (place: Place, text: string, about?: LadderMeant): HandleMessage => ({
  type: "hear",
  ...place,
  text,
  ...(about && { ladder: about }),
});
/** CH8: the carrier reports the text as consent or its withdrawal. */
export const consent = (place: Place, text: "STOP" | "START"): HandleMessage => ({
  ...hear(place, text),
  consent: text === "STOP" ? "stop" : "start",
});
export const takeName = (name: string, nickname: string): DirectoryCommand => ({
  type: "take-name",
  person: person(name),
  nickname,
});
export const quit = (name: string): DirectoryCommand => ({ type: "quit", person: person(name) });
export const challenge = (
  name: string,
  opponent: string,
  hand: Hand | null = null,
  on: string | null = null,
): Extract<DirectoryCommand, { type: "challenge" }> => ({
  type: "challenge",
  person: person(name),
  opponent,
  hand,
  ladder: on,
});
export const throwIn = (
  name: string,
  duel: number,
  hand: Hand,
  on: string | null = null,
): DirectoryCommand => ({ type: "throw", person: person(name), duel: duel as DuelNumber, hand, ladder: on });
export const drop = (name: string, duel: number): DirectoryCommand => ({
  type: "drop",
  person: person(name),
  duel: duel as DuelNumber,
});
export const move = (from: string, to: string): DirectoryCommand => ({
  type: "move",
  channel: "telegram",
  from,
  to,
});
/** Notifications, as: version, recipient, text, person who caused it. */
export const pass = (
  from: string,
  notices: readonly (readonly [number, string, string, (string | undefined)?])[],
): DirectoryCommand => ({
  type: "pass",
  from,
  notices: notices.map(([version, tell, text, by]) => ({
    ...{ version, tell: person(tell), text },
    ...(by !== undefined && { by: person(by) }),
  })),
});

/** The events of an entry, and its effects on other streams. */
export interface Outcome {
  readonly events: readonly DirectoryEvent[];
  readonly effects: readonly Effect[];
}

/** The directory with a minimal host, which decides what is due before each command. */
export class DirectoryStage {
  directory: Directory | undefined;
  now = 1_000;
  version = 0;
  /** Every entry, as stored on disk. */
  readonly log: string[] = [];
  /** Every effect on other streams. */
  readonly sent: Effect[] = [];

  /** The entry that the command creates. */
  do(command: DirectoryCommand): Outcome {
    this.wake();
    const decision = decide(this.directory, command, millis(this.now));
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}: ${JSON.stringify(command)}`);
    assert.ok(decision.events.length > 0, `nothing came of ${JSON.stringify(command)}`);
    return this.write(decision.events);
  }

  write(given: readonly DirectoryEvent[]): Outcome {
    this.version++;
    // Parse the stored JSON, as a restart would.
    const line = JSON.stringify({ at: this.now, events: given });
    this.log.push(line);
    const events: readonly DirectoryEvent[] = JSON.parse(line).events;
    for (const event of events)
      this.directory = evolve(this.directory, event, millis(this.now), this.version);
    const caused = effects!(this.directory!, events);
    this.sent.push(...caused);
    return { events, effects: caused };
  }

  /** Expects a refusal with this code and an unchanged state. */
  refused(command: DirectoryCommand, code: RefusalCode): void {
    const before = JSON.stringify(this.saved);
    const decision = decide(this.directory, command, millis(this.now));
    assert.ok("refusal" in decision, `not refused: ${JSON.stringify(command)}`);
    assert.equal(decision.refusal.code, code, JSON.stringify(command));
    assert.ok(decision.refusal.message.endsWith("."), decision.refusal.message);
    assert.equal(JSON.stringify(this.saved), before, "a refusal changed something");
  }

  /** The reply to this message, whether in the response or sent. */
  says(place: Place, text: string, about?: LadderMeant): string {
    const { events, effects: caused } = this.do(hear(place, text, about));
    const last = events.at(-1)!;
    if (last.type !== "answered") assert.fail(`${text} was not answered: ${JSON.stringify(last)}`);
    if (last.to !== null)
      assert.ok(
        caused.some(({ to, body }) => to === last.to && body.text === last.reply),
        "the reply was not sent",
      );
    assert.ok(last.reply.length > 0 && last.reply.isWellFormed());
    return last.reply;
  }

  /** The question that this message asks of a ladder. */
  asks(place: Place, text: string, about: LadderMeant): Extract<DirectoryEvent, { type: "asked" }> {
    const { events } = this.do(hear(place, text, about));
    const last = events.at(-1)!;
    if (last.type !== "asked") assert.fail(`${text} was not for a ladder: ${JSON.stringify(last)}`);
    return last;
  }

  /** Gives nicknames to people on the web. */
  named(...names: string[]): this {
    for (const name of names) this.do(takeName(name, name));
    return this;
  }

  /** Ticks while one is due. Each tick must produce events: otherwise a host would wake the directory in a loop. */
  wake(): Outcome[] {
    const all: Outcome[] = [];
    while (this.directory && (nextDue(this.directory) ?? Number.POSITIVE_INFINITY) <= this.now) {
      const decision = decide(this.directory, tick, millis(this.now));
      assert.ok("events" in decision && decision.events.length > 0, "a due tick produced nothing");
      all.push(this.write(decision.events));
    }
    return all;
  }

  /** Advances the clock and decides everything that is due by then. */
  at(now: number): Outcome[] {
    this.now = now;
    return this.wake();
  }

  get saved(): Saved | undefined {
    return this.directory && save(this.directory);
  }

  /** Everything ever sent to this address, line by line. */
  told(to: string): string[] {
    return textsTo(this.sent, to);
  }
}

export function textsTo(effects: readonly Effect[], to: string): string[] {
  return effects.filter((effect) => effect.to === to).flatMap(({ body }) => String(body.text).split("\n"));
}

/** The directory after replaying the whole log. */
export function replayed({ log }: Pick<DirectoryStage, "log">): Directory | undefined {
  let directory: Directory | undefined;
  for (const [index, line] of log.entries()) {
    const { at, events } = JSON.parse(line);
    for (const event of events) directory = evolve(directory, event, at, index + 1);
  }
  return directory;
}
