/** A node in its own thread that freezes during a commit until it is told to continue. */
import { parentPort, workerData } from "node:worker_threads";
import { PostgresLog } from "../../src/log/postgres/postgres-log.ts";
import { Replica } from "./replica.ts";

export interface Freezing {
  readonly url: string;
  readonly stream: `${string}/${string}`;
  /** At index 0: becomes 1 when the node freezes; it continues when the value is 2. */
  readonly state: Int32Array;
  /** The length of the text that it then tries to write. */
  readonly length: number;
}

const { url, stream, state, length } = workerData as Freezing;
const log = await PostgresLog.open(url, { node: "frozen" });
const replica = new Replica(log, stream);
const [outcome] = await log.commit([replica.wanted], (tails) => {
  replica.absorb(tails[0]);
  Atomics.store(state, 0, 1);
  Atomics.wait(state, 0, 1);
  return [replica.next("frozen".padEnd(length))];
});
// Continue on what the others have written.
const later = await new Replica(log, stream).add("thawed");
await log.close();
parentPort!.postMessage([outcome, later]);
