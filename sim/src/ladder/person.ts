import type { LadderEvent } from "@openseat/kernel";
import type { StreamName } from "@openseat/server";
import type { Answer, Ask, Request } from "../requests.ts";
import type { LadderView } from "./view.ts";

const remembered = 6;

/** A rated player, with everything they have been told. */
export class LadderPerson {
  readonly name: string;
  /** Used keys, to be reused where that must be refused. */
  readonly usedKeys: Ask[] = [];
  readonly #seen = new Map<StreamName, LadderView>();
  /** Matches they reported, to void later. */
  readonly #reported = new Map<StreamName, number[]>();

  constructor(name: string) {
    this.name = name;
  }

  sees(stream: StreamName): LadderView | undefined {
    return this.#seen.get(stream);
  }

  reportedIn(stream: StreamName): readonly number[] {
    return this.#reported.get(stream) ?? [];
  }

  learn(request: Request, answer: Answer | undefined): void {
    if (!answer || !("stream" in request)) return;
    const { stream } = request;
    if (answer.type === "seen" && answer.view) this.#seen.set(stream, answer.view as LadderView);
    if (request.type !== "ask") return;
    // Whatever the answer was, the last view is outdated.
    if (request.command.type !== "report") this.#seen.delete(stream);
    if (answer.type !== "done") return;
    const [event] = answer.entry.events as readonly LadderEvent[];
    if (event.type === "counted" || event.type === "reported")
      this.#reported.set(stream, [...this.reportedIn(stream), event.match].slice(-remembered));
  }
}
