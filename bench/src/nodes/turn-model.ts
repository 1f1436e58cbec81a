/** One measurement: processor time of all nodes and of PostgreSQL for a join, and how many joins shared a turn. */
export type TurnCost = { readonly usEach: number; readonly joinsPerTurn: number };

/**
 * What a join costs on several nodes: what is done for it alone, its share of a turn, and on every other node what it costs
 * to follow it. In microseconds of processor time.
 */
export type TurnModel = { readonly joinUs: number; readonly turnUs: number; readonly followUs: number };

/** From one node with large and with small turns, and from two nodes. */
export function turnModelOf(large: TurnCost, small: TurnCost, two: TurnCost): TurnModel {
  const turnUs = (small.usEach - large.usEach) / (1 / small.joinsPerTurn - 1 / large.joinsPerTurn);
  const joinUs = large.usEach - turnUs / large.joinsPerTurn;
  return { joinUs, turnUs, followUs: two.usEach - joinUs - turnUs / two.joinsPerTurn };
}

/** What it says of more nodes. */
export function predictedUs(
  { joinUs, turnUs, followUs }: TurnModel,
  nodes: number,
  joinsPerTurn: number,
): number {
  return joinUs + turnUs / joinsPerTurn + followUs * (nodes - 1);
}
