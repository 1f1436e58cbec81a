import type { Logger } from "pino";
import type { Clock, Timer } from "./clock.ts";

/** A line about something that went wrong. Lines of one cause are summarised. */
export interface FaultLine {
  readonly level: "warn" | "error";
  readonly cause: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What has become of one cause since its latest line. */
interface Known {
  readonly line: FaultLine;
  repeats: number;
  timer: Timer | undefined;
}

/** How soon the same cause is worth another line. */
const sameAgainMs = 60_000;
/** Distinct causes that are remembered; those beyond it are summarised together. */
const causesMax = 100;
const messageLengthMax = 200;
const furtherCauses = "further causes";

/**
 * The first line of each cause in full, then at most one per minute that says how often it happened again. A full disk would
 * otherwise write a stack trace per request, and fill what is left of it.
 */
export class FaultLog {
  readonly #logger: Logger;
  readonly #clock: Pick<Clock, "after">;
  readonly #known = new Map<string, Known>();
  #isClosed = false;

  constructor(logger: Logger, clock: Pick<Clock, "after">) {
    this.#logger = logger;
    this.#clock = clock;
  }

  note(line: FaultLine): void {
    const isRemembered = this.#known.has(line.cause) || this.#known.size < causesMax;
    const cause = isRemembered ? line.cause : furtherCauses;
    const known = this.#known.get(cause);
    if (known) known.repeats++;
    else this.#known.set(cause, { line: { ...line, cause }, repeats: 0, timer: this.#later(cause) });
    this.#logger[known ? "debug" : line.level](line.fields, line.text);
  }

  error(error: unknown, text: string): void {
    this.note({ level: "error", cause: causeOf(error), fields: { err: error }, text });
  }

  warn(error: unknown, text: string): void {
    this.note({ level: "warn", cause: causeOf(error), fields: { err: error }, text });
  }

  /** Says what has not been said yet, and holds up the end of the process no longer. */
  close(): void {
    this.#isClosed = true;
    for (const known of this.#known.values()) {
      known.timer?.cancel();
      this.#say(known);
    }
  }

  #later(cause: string): Timer | undefined {
    return this.#isClosed ? undefined : this.#clock.after(sameAgainMs, () => this.#again(cause));
  }

  #again(cause: string): void {
    const known = this.#known.get(cause)!;
    if (known.repeats === 0) this.#known.delete(cause);
    else known.timer = this.#later(cause);
    this.#say(known);
  }

  #say(known: Known): void {
    const { repeats, line } = known;
    known.repeats = 0;
    if (repeats > 0) this.#logger[line.level]({ cause: line.cause, repeats }, `${line.text}: happened again`);
  }
}

/** What tells one error from another: what it says, and where it was thrown. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, messageLengthMax);
  const thrownAt = /\n\s+at .*/.exec(error.stack ?? "")?.[0].trim() ?? "";
  return `${error.name}: ${error.message.slice(0, messageLengthMax)} ${thrownAt}`.trimEnd();
}
