/** One measurement: processor time per join of all nodes and PostgreSQL, and the joins per commit. */
export type TurnCost = { readonly usEach: number; readonly joinsPerTurn: number };

/**
 * The cost of a join on several nodes: its own work, its share of a commit, and the work on every other node that
 * follows the stream. In microseconds of processor time.
 */
export type TurnModel = { readonly joinUs: number; readonly turnUs: number; readonly followUs: number };

/** Solves the model from one node with large and small commits, and from two nodes. */
export function turnModelOf(large: TurnCost, small: TurnCost, two: TurnCost): TurnModel {
  const turnUs = (small.usEach - large.usEach) / (1 / small.joinsPerTurn - 1 / large.joinsPerTurn);
  const joinUs = large.usEach - turnUs / large.joinsPerTurn;
  return { joinUs, turnUs, followUs: two.usEach - joinUs - turnUs / two.joinsPerTurn };
}

/** The model's prediction for more nodes. */
export function predictedUs(
  { joinUs, turnUs, followUs }: TurnModel,
  nodes: number,
  joinsPerTurn: number,
): number {
  return joinUs + turnUs / joinsPerTurn + followUs * (nodes - 1);
}
