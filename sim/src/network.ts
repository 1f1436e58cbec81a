import type { Millis } from "@openseat/kernel";
import type { Faults } from "./faults.ts";
import type { Judge } from "./judge.ts";
import { paceAhead } from "./ledger.ts";
import type { Node } from "./node.ts";
import type { Process } from "./process.ts";
import { type Answer, answerInWords, inWords, type Request } from "./requests.ts";
import type { World } from "./world.ts";

/** The network between people and nodes delays and loses messages. The judge checks every answer. */
export class Network {
  readonly #world: World;
  readonly #nodes: readonly Node[];
  readonly #faults: Faults;
  readonly #judge: Judge;
  /** The latest time of any stream so far. */
  #latestClock = 0 as Millis;
  #notedAtMs = 0;

  constructor(world: World, nodes: readonly Node[], faults: Faults, judge: Judge) {
    this.#world = world;
    this.#nodes = nodes;
    this.#faults = faults;
    this.#judge = judge;
  }

  /** Called before a clock is set back. */
  noteClocks(): void {
    const { elapsedMs } = this.#world;
    // CK3: streams ahead of the clock continue by their own time.
    this.#latestClock = (this.#latestClock + (elapsedMs - this.#notedAtMs) * paceAhead) as Millis;
    this.#notedAtMs = elapsedMs;
    for (const node of this.#nodes)
      this.#latestClock = Math.max(this.#latestClock, node.clock() ?? 0) as Millis;
  }

  /** Resolves with the answer, or with undefined on a timeout; then nobody knows whether it was done. */
  send(request: Request): Promise<Answer | undefined> {
    const { random } = this.#world;
    return new Promise((resolve) => {
      const patience = this.#world.after(random.between(300, 3_000), "patience is over", () =>
        resolve(undefined),
      );
      const taken = (answer: Answer | undefined) => {
        patience.cancel();
        resolve(answer);
      };
      if (this.#faults.strikes("lostRequest")) return;
      this.#world.after(random.next() * 5, inWords(request), () => {
        const { open } = random.pick(this.#nodes);
        if (!open) taken(undefined);
        else void this.#answer(open, request).then((answer) => this.#bringBack(open, answer, taken));
      });
    });
  }

  /** Sends all requests to one node at the same moment. Only the judge reads the answers. */
  sendTogether(requests: readonly Request[]): void {
    this.#world.after(this.#world.random.next() * 5, `a crowd of ${requests.length}`, () => {
      const { open } = this.#world.random.pick(this.#nodes);
      if (open) for (const request of requests) void this.#answer(open, request);
    });
  }

  async #answer(process: Process, request: Request): Promise<Answer> {
    const hearing = this.#judge.arrived(request);
    const answer = await process.answer(request);
    this.noteClocks();
    this.#world.note(`  ${inWords(request)}: ${answerInWords(answer)}`);
    this.#judge.answered(hearing, answer, this.#latestClock);
    return answer;
  }

  #bringBack(process: Process, answer: Answer, taken: (answer: Answer) => void): void {
    if (this.#faults.strikes("lostAnswer")) return;
    process.life.after(this.#world.random.next() * 5, "an answer arrives", () => taken(answer));
  }
}
