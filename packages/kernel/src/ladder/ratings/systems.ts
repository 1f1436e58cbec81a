import { rateElo } from "./elo.ts";
import { rateGlicko2 } from "./glicko2.ts";
import type { Rate, RatingTerms } from "./rating.ts";

const systems: Readonly<Record<RatingTerms["system"], Rate>> = { elo: rateElo, glicko2: rateGlicko2 };

/** LD10. */
export const rateMatch: Rate = (terms, players, score) => systems[terms.system](terms, players, score);
