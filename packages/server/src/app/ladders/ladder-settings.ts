import type { LadderSettings, RatingTerms, Refusal } from "@openseat/kernel";
import type { LadderChanges, NewLadder } from "@openseat/protocol";
import { invalidInput } from "../invalid-input.ts";
import { ms, onlyGiven } from "../rooms/rooms.ts";

const hourMs = 3_600_000;

export const ladderDefaults: Omit<LadderSettings, "title"> = {
  open: true,
  confirm: false,
  confirmWindowMs: 72 * hourMs,
  undoWindowMs: hourMs,
};

/** LD3: Elo from 1000 with K 32; Glicko-2 with the initial values of its paper. */
export function ratingTerms(given: NewLadder): RatingTerms {
  const { system = "elo" } = given;
  return {
    system,
    start: given.startRating ?? (system === "elo" ? 1000 : 1500),
    floor: given.floor ?? 100,
    // Fields in a fixed order, so that a repeated request with another order has the same fingerprint.
    k: given.k?.map(({ from, k }) => ({ from, k })) ?? [{ from: 0, k: 32 }],
    curve: given.curve ?? "logistic",
    provisionalGames: given.provisionalGames ?? 10,
    deviation: system === "elo" ? 0 : (given.startDeviation ?? 350),
    volatility: system === "elo" ? 0 : (given.startVolatility ?? 0.06),
    tau: given.tau ?? 0.5,
    provisionalDeviation: given.provisionalDeviation ?? 110,
  };
}

export function settingsFrom(given: LadderChanges): Partial<LadderSettings> {
  return onlyGiven<LadderSettings>({
    title: given.title?.trim().toWellFormed(),
    open: given.open,
    confirm: given.confirm,
    confirmWindowMs: ms(given.confirmWindowSeconds),
    undoWindowMs: ms(given.undoWindowSeconds),
    duels: given.duels,
  });
}

/** Fields of the other system are refused: they would have no effect. */
const ownFields = {
  elo: ["k", "curve", "provisionalGames"],
  glicko2: ["startDeviation", "startVolatility", "tau", "provisionalDeviation"],
} as const;

/** Faults that a schema cannot express. */
export function faultIn(given: NewLadder): Refusal | undefined {
  const { system = "elo", k = [{ from: 0 }] } = given;
  const other = system === "elo" ? "glicko2" : "elo";
  const foreign = ownFields[other].find((name) => given[name] !== undefined);
  const name = system === "elo" ? "Elo" : "Glicko-2";
  if (foreign) return invalidInput("body", foreign, `is not for ladders rated by ${name}`);
  if (k[0].from !== 0) return invalidInput("body", "k.0.from", "must be 0: it is for newcomers");
  const fallen = k.findIndex(({ from }, step) => step > 0 && from <= k[step - 1].from);
  if (fallen > 0)
    return invalidInput("body", `k.${fallen}.from`, "must be greater than that of the step before");
  const { start, floor } = ratingTerms(given);
  return start < floor ? invalidInput("body", "startRating", "must not be below the floor") : undefined;
}
