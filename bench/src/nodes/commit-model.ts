/** One measurement: processor time per join of all nodes and PostgreSQL, and the joins per commit. */
export type CommitCost = { readonly usEach: number; readonly joinsPerCommit: number };

/**
 * The cost of a join on several nodes: its own work, its share of a commit, and the work on every other node that
 * follows the stream. In microseconds of processor time.
 */
export type CommitModel = { readonly joinUs: number; readonly commitUs: number; readonly followUs: number };

/** Solves the model from one node with large and small commits, and from two nodes. */
export function commitModelOf(large: CommitCost, small: CommitCost, two: CommitCost): CommitModel {
  const commitUs = (small.usEach - large.usEach) / (1 / small.joinsPerCommit - 1 / large.joinsPerCommit);
  const joinUs = large.usEach - commitUs / large.joinsPerCommit;
  return { joinUs, commitUs, followUs: two.usEach - joinUs - commitUs / two.joinsPerCommit };
}

/** The model's prediction for more nodes. */
export function predictedUs(
  { joinUs, commitUs, followUs }: CommitModel,
  nodes: number,
  joinsPerCommit: number,
): number {
  return joinUs + commitUs / joinsPerCommit + followUs * (nodes - 1);
}
