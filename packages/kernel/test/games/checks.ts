import assert from "node:assert/strict";
import fc from "fast-check";
import { Chance } from "../../src/match/chance.ts";
import type { AnyGame, GameOptions, SeatNumber, Sight } from "../../src/match/game.ts";

/** The patterns of the wire (protocol/src/arenas.ts): a game with other names could not be requested. */
const patterns = {
  game: /^[a-z0-9-]{1,64}$/,
  label: /^[\x21-\x7e]{1,12}$/,
  move: /^[\x21-\x7e]{1,32}$/,
  option: /^[a-zA-Z]{1,32}$/,
};
const optionsMax = 8;
const sightBytesMax = 4_096;
/** More moves than any sensible match has. */
const movesMax = 1_000;

export interface Script {
  /** The seed of the match. */
  readonly seed: number;
  readonly options: GameOptions;
  /** The seed of the players' random choices. */
  readonly whim: number;
}

export interface Play {
  readonly seat: SeatNumber;
  readonly move: string;
}

/** A match with random legal moves, and every state of it. */
interface Played {
  readonly plays: readonly Play[];
  readonly states: readonly unknown[];
}

export function usualOptions(game: AnyGame): GameOptions {
  return Object.fromEntries(Object.entries(game.options ?? {}).map(([name, { usual }]) => [name, usual]));
}

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });

export function scripts(game: AnyGame): fc.Arbitrary<Script> {
  const options = Object.entries(game.options ?? {}).map(
    ([name, { least, most }]) => [name, fc.integer({ min: least, max: most })] as const,
  );
  const chosen = fc.record(Object.fromEntries(options), { noNullPrototype: true });
  return fc.record({ seed: seeds, options: chosen, whim: seeds });
}

export function playOut(game: AnyGame, { seed, options, whim }: Script): Played {
  const choice = new Chance(whim);
  const pick = <Item>(items: readonly Item[]): Item => items[choice.below(items.length)];
  const states: unknown[] = [frozen(game.setup(new Chance(seed), frozen(options)))];
  const plays: Play[] = [];
  while (game.toMove(states.at(-1)).length > 0) {
    assert.ok(plays.length < movesMax, `a match goes on after ${movesMax} moves`);
    const seat = pick(game.toMove(states.at(-1)));
    const move = pick(game.moves(states.at(-1), seat)) as string;
    plays.push({ seat, move });
    states.push(frozen(game.play(states.at(-1), seat, move)));
  }
  return { plays, states };
}

/** The state after these moves. */
function stateAfter(game: AnyGame, seed: number, options: GameOptions, plays: readonly Play[]): unknown {
  const start = game.setup(new Chance(seed), options);
  return plays.reduce((state, { seat, move }) => game.play(state, seat, move), start);
}

/** Every seat, and undefined for watchers. */
function viewersOf(game: AnyGame): readonly (SeatNumber | undefined)[] {
  return [...game.seats.keys(), undefined];
}

/** Deep-frozen, so that changing it throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

function assertPlain(value: unknown, what: string): void {
  assert.deepStrictEqual(JSON.parse(JSON.stringify(value)), value, `${what} does not survive being JSON`);
}

function tableMoves({ table }: AnyGame): readonly string[] {
  return [...new Set([...table.cells, ...table.choices].map(({ move }) => move))];
}

/** Runs the check on a hundred matches with random options and moves. */
export function always(game: AnyGame, check: (game: AnyGame, script: Script) => void): void {
  fc.assert(
    fc.property(scripts(game), (script) => {
      check(game, script);
    }),
  );
}

/** What every game of the catalogue must satisfy. */
export function checkGame(game: AnyGame): void {
  checkWords(game);
  for (const check of [checkEnd, checkMoves, checkSameAgain, checkViews, checkSecrets]) always(game, check);
}

/** Names, labels, moves and options must fit in requests and URLs, and be readable. */
export function checkWords(game: AnyGame): void {
  assert.match(game.name, patterns.game);
  assert.ok(game.title.trim() !== "" && game.summary.trim() !== "", "a title and a summary are required");
  assert.ok(game.seats.length >= 2 && game.seats.length <= 16, "2 to 16 play");
  assert.equal(new Set(game.seats).size, game.seats.length, "two seats have one label");
  for (const label of game.seats) assert.match(label, patterns.label);
  checkOptions(game);
  checkTable(game);
}

function checkOptions({ options = {} }: AnyGame): void {
  assert.ok(Object.keys(options).length <= optionsMax, `at most ${optionsMax} options`);
  for (const [name, { usual, least, most, means }] of Object.entries(options)) {
    assert.match(name, patterns.option);
    assert.ok([usual, least, most].every(Number.isSafeInteger), `${name} is no whole number`);
    assert.ok(least <= usual && usual <= most, `what is usual for ${name} is out of its bounds`);
    assert.notEqual(means.trim(), "", `nobody knows what ${name} means`);
  }
}

function checkTable(game: AnyGame): void {
  const { columns, cells, choices } = game.table;
  for (const move of tableMoves(game)) assert.match(move, patterns.move);
  if (columns === 0) assert.equal(cells.length, 0, "cells without columns");
  else assert.equal(cells.length % columns, 0, "the last row is not full");
  for (const names of [cells, choices].map((all) => all.map(({ name }) => name))) {
    assert.equal(
      new Set(names).size,
      names.length,
      "two have the same name, so screen reader users cannot tell them apart",
    );
    assert.ok(names.every((name) => name.trim() !== ""));
  }
  assert.equal(new Set(choices.map(({ move }) => move)).size, choices.length, "a choice is listed twice");
  assert.ok(choices.every(({ symbol }) => symbol.trim() !== ""));
}

/** The match ends within a bound, and it has an outcome exactly when no seat is to move. */
export function checkEnd(game: AnyGame, script: Script): void {
  const { states } = playOut(game, script);
  const outcomes = states.map((state) => game.outcome(state));
  for (const [index, state] of states.entries())
    assert.equal(game.toMove(state).length === 0, outcomes[index] !== undefined, `after move ${index}`);
  const winner = outcomes.at(-1)?.winner;
  assert.ok(winner === null || game.seats[winner as number] !== undefined, `seat ${winner} cannot win`);
}

/** Each seat to move is listed once and has a move. All moves are on the table, each once. */
export function checkMoves(game: AnyGame, script: Script): void {
  const onTable = new Set(tableMoves(game));
  for (const state of playOut(game, script).states) {
    const seats = game.toMove(state);
    assert.equal(new Set(seats).size, seats.length, "a seat has to move twice");
    for (const seat of seats) {
      assert.ok(game.seats[seat] !== undefined, `there is no seat ${seat}`);
      const moves: readonly string[] = game.moves(state, seat);
      assert.ok(moves.length > 0, `seat ${seat} has to move and cannot`);
      assert.equal(new Set(moves).size, moves.length, "a move is offered twice");
      for (const move of moves) assert.ok(onTable.has(move), `${move} is not on the table`);
    }
  }
}

/** Playing does not change earlier states (they are frozen), and the same moves lead to the same state. */
export function checkSameAgain(game: AnyGame, script: Script): void {
  const { plays, states } = playOut(game, script);
  for (const [count, state] of states.entries()) {
    assertPlain(state, "a state");
    const again = stateAfter(game, script.seed, script.options, plays.slice(0, count));
    assert.deepStrictEqual(again, state);
    for (const viewer of viewersOf(game))
      assert.deepStrictEqual(game.view(again, viewer), game.view(state, viewer));
  }
}

/** Each view fits the table, is small, and survives JSON. */
export function checkViews(game: AnyGame, script: Script): void {
  for (const state of playOut(game, script).states) {
    for (const viewer of viewersOf(game)) {
      const sight = game.view(state, viewer);
      assertPlain(sight, "a view");
      assert.ok(Buffer.byteLength(JSON.stringify(sight)) < sightBytesMax, "a view is too large");
      checkSight(game, sight, viewer);
    }
  }
}

function checkSight(game: AnyGame, sight: Sight, viewer: SeatNumber | undefined): void {
  assert.equal(sight.cells.length, game.table.cells.length);
  for (const label of sight.cells)
    assert.ok(label === null || game.seats.includes(label), `no label: ${label}`);
  for (const cell of sight.marked) assert.ok(cell in sight.cells, `there is no cell ${cell}`);
  assert.ok(
    sight.score.length === 0 || sight.score.length === game.seats.length,
    "one score per seat, or none",
  );
  assert.ok(sight.score.every(Number.isSafeInteger));
  assert.ok(sight.notes.length <= 10 && sight.notes.every((note) => note.trim() !== ""));
  if (viewer === undefined) assert.equal(sight.chosen, null, "a watcher has chosen nothing");
  else assert.ok(sight.chosen === null || tableMoves(game).includes(sight.chosen));
}

/**
 * A secret move must not leak before the others have moved: whichever it is, their views and moves are identical.
 * Returns the number of pairs of moves compared.
 */
export function checkSecrets(game: AnyGame, script: Script): number {
  let compared = 0;
  if (!game.isSecret) return compared;
  for (const before of playOut(game, script).states) {
    const together = game.toMove(before);
    for (const seat of together.length > 1 ? together : []) {
      const moves: readonly string[] = game.moves(before, seat);
      const others = together.filter((each) => each !== seat);
      for (const move of moves.slice(1)) {
        assertSameForOthers(game, before, others, seat, [moves[0], move]);
        compared += 1;
      }
    }
  }
  return compared;
}

/** The others move one by one, and nothing may leak until the last of them has moved. */
function assertSameForOthers(
  game: AnyGame,
  before: unknown,
  others: readonly SeatNumber[],
  seat: SeatNumber,
  moves: readonly string[],
): void {
  let states = moves.map((move) => game.play(before, seat, move));
  for (const next of others) {
    const [one, other] = states.map((state) => everythingFor(game, state, seat));
    assert.equal(one, other, `others can tell ${moves.join(" from ")} of seat ${seat}`);
    const answer = game.moves(states[0], next)[0];
    states = states.map((state) => game.play(state, next, answer));
  }
}

/** Everything that is sent to anyone but this seat. */
function everythingFor(game: AnyGame, state: unknown, seat: SeatNumber): string {
  const toMove = game.toMove(state);
  const moves = toMove.filter((each) => each !== seat).map((each) => game.moves(state, each));
  const views = viewersOf(game)
    .filter((viewer) => viewer !== seat)
    .map((viewer) => game.view(state, viewer));
  return JSON.stringify({ toMove, moves, views, outcome: game.outcome(state) });
}
