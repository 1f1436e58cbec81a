import assert from "node:assert/strict";
import {
  type ArenaCommand,
  type ArenaEvent,
  arenaDecider,
  arenaStatusOf,
  placeIn,
  roomLimits,
} from "@openseat/kernel";
import { Chance } from "../queue-stage.ts";
import { millis, person } from "../room-stage.ts";
import { ArenaModel } from "./model.ts";
import { anyTerms, goOn, randomCommand, type Step } from "./script.ts";
import { ArenaStage, createArena, type StageTerms } from "./stage.ts";

const { decide, nextDue } = arenaDecider;

/** All that has happened in any run, without names and numbers. */
export const met = new Set<string>();

const kindOf = (happened: string) =>
  happened
    .split(" after")[0]
    .split(" ")
    .filter((word) => !/\d/.test(word))
    .join(" ");

/** What the model tells of; entries and seats it is asked for afterwards. */
function inWords(event: ArenaEvent): string[] {
  switch (event.type) {
    case "ended": {
      const { number, winner, reason, moves, players } = event;
      const names = players.map((player) => player.person);
      return [`ended ${number}: ${winner} ${reason} after ${moves} by ${names}`];
    }
    case "left":
      return [`left ${event.ticket} ${event.person} ${event.reason}`];
    case "started":
      return [`started ${event.number}`];
    case "clock-restarted":
      return ["clock restarted"];
    default:
      return [];
  }
}

/** A stage and a model that do the same commands at the same times. */
class SideBySide {
  readonly stage: ArenaStage;
  readonly model: ArenaModel;
  /** Matches that were started, and those that ended. */
  started = 0;
  ended = 0;

  constructor(terms: StageTerms) {
    this.stage = new ArenaStage(terms);
    this.stage.keepsLog = false;
    this.model = new ArenaModel(createArena(terms));
  }

  do(command: ArenaCommand): void {
    const { stage, model } = this;
    model.passTo(stage.now);
    const decision = decide(stage.room, command, millis(stage.now));
    const expected = model.do(command, stage.version + 1);
    for (const words of expected) met.add(kindOf(words));
    if ("refusal" in decision) assert.deepEqual([decision.refusal.code], expected);
    else {
      assert.deepEqual(decision.events.flatMap(inWords).sort(), expected.toSorted());
      this.#count(decision.events);
      stage.write(decision.events);
    }
    this.#assertSame();
    this.#assertSound();
  }

  /** AR4: a match has one result, and has it before the next begins. */
  #count(events: readonly ArenaEvent[]): void {
    for (const event of events) {
      if (event.type === "started") {
        assert.equal(this.ended, this.started, "a match began before the one before had a result");
        assert.equal(event.number, ++this.started);
      }
      if (event.type === "ended") assert.equal(++this.ended, this.started, "a match with two results");
    }
  }

  #assertSame(): void {
    const { room } = this.stage;
    const { model } = this;
    const players = room.seats.map(
      (each) => each && `${each.ticket} ${each.person} ${each.streak} ${each.timeouts}`,
    );
    const expected = model.seats.map(
      (each) => each && `${each.ticket} ${each.person} ${each.streak} ${each.late}`,
    );
    assert.deepEqual(players, expected, "the players");
    const waiting = model.line.map(({ ticket }) => ticket);
    assert.deepEqual([...room.line], waiting, "the line");
    for (const { ticket, person, lane, late } of model.line) {
      const entrant = room.entrants.get(ticket)!;
      assert.deepEqual([entrant.person, entrant.lane, entrant.timeouts], [person, lane, late]);
    }
    assert.deepEqual(room.settings, model.settings);
    assert.equal(room.match?.id, model.match?.id, "the match that is on");
    assert.equal(room.match?.moveBy, model.match?.moveBy, "when the turn runs out");
    if (model.game && room.match) {
      assert.deepEqual(room.match.play!.toMove, model.toMove, "whose turn it is");
      assert.equal(room.match.play!.turn, model.match!.turn, "which turn it is");
    }
    assert.equal(room.last?.ended.match, model.last?.id);
    assert.equal(room.last?.ended.winner, model.last?.winner);
    assert.equal(room.last?.ended.reason, model.last?.reason);
    assert.equal(room.matches, model.matches);
    assert.equal(room.roster.tickets, model.tickets);
    // LM7: what nobody has used is over after a week.
    const unused = model.tickets === 0 ? room.terms.createdAt + roomLimits.unusedMsMax : undefined;
    assert.equal(nextDue(room), model.match?.moveBy ?? unused);
  }

  /** What holds whatever the rules are, asked of the room alone. */
  #assertSound(): void {
    const { room } = this.stage;
    const players = room.seats.filter((player) => player !== undefined);
    const waiting = [...room.line].map((ticket) => room.entrants.get(ticket)!.person);
    const everyone = [...players.map((player) => player.person), ...waiting];
    assert.equal(new Set(everyone).size, everyone.length, "someone is here twice");
    assert.equal(room.entrants.size, everyone.length);
    everyone.forEach((name, index) => {
      const place = placeIn(room, person(name))!;
      if (index >= players.length) assert.equal(place.position, index - players.length + 1);
      else assert.equal(room.seats[room.terms.labels.indexOf(place.label!)]!.person, name);
    });
    const isFull = players.length >= room.settings.seats;
    if (!room.match) {
      assert.ok(!isFull, "every seat is filled and no match is on");
      assert.equal(room.line.length, 0, "a seat is free, and someone waits");
    }
    assert.equal(arenaStatusOf(room), room.match ? "PLAYING" : "WAITING");
  }
}

/** Both play the script, and are the same after every step. Answers how many matches there were. */
export function playBoth(kind: StageTerms, seed: number, steps: readonly Step[]): number {
  const both = new SideBySide(anyTerms(kind, new Chance(seed)));
  for (const step of steps) {
    goOn(both.stage, step, (command) => both.do(command));
    both.do(randomCommand(both.stage, step.choice));
  }
  return both.started;
}
