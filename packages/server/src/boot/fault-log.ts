import type { Clock, Timer } from "../clock.ts";
import type { Logger } from "../logger.ts";

/** A log line about a failure. Lines with the same cause are summarised. */
export interface FaultLine {
  readonly level: "warn" | "error";
  readonly cause: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The room in which it happened, if the summary must list all rooms. */
  readonly stream?: string;
}

/** What happened with one cause since its latest line. */
interface Known {
  readonly line: FaultLine;
  level: FaultLine["level"];
  repeats: number;
  readonly streams: Set<string>;
  timer: Timer | undefined;
}

/** Minimum interval between lines of the same cause. */
const sameAgainMs = 60_000;
/** Number of distinct causes to remember. Further ones are summarised together. */
const causesMax = 100;
const messageLengthMax = 200;
const furtherCauses = "further causes";
/** Number of rooms that one summary lists. */
const streamsMax = 100;

/**
 * Logs the first line of each cause in full, then at most one per minute with the number of repetitions. Otherwise a full disk
 * would cause a stack trace per request and fill up further.
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
    const { stream, level } = line;
    const fields = stream === undefined ? line.fields : { ...line.fields, stream };
    this.#logger[known ? "debug" : level](fields, line.text);
    if (known) repeat(known, line);
    else {
      const timer = this.#later(cause);
      this.#known.set(cause, { line: { ...line, cause }, level, repeats: 0, streams: new Set(), timer });
    }
  }

  error(error: unknown, text: string): void {
    this.note({ level: "error", cause: causeOf(error), fields: { err: error }, text });
  }

  warn(error: unknown, text: string): void {
    this.note({ level: "warn", cause: causeOf(error), fields: { err: error }, text });
  }

  /** Logs all pending summaries and stops its timers, so that the process can end. */
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
    const { repeats, line, level } = known;
    if (repeats === 0) return;
    const streams = known.streams.size > 0 ? { streams: [...known.streams] } : {};
    known.repeats = 0;
    known.streams.clear();
    this.#logger[level]({ cause: line.cause, repeats, ...streams }, `${line.text}: happened again`);
  }
}

function repeat(known: Known, { level, stream }: FaultLine): void {
  known.repeats++;
  // All further causes share one summary. If one of them was an error, report it as an error.
  if (level === "error") known.level = level;
  if (stream !== undefined && known.streams.size < streamsMax) known.streams.add(stream);
}

/** Identifies an error by its message and the place where it was thrown. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, messageLengthMax);
  const thrownAt = /\n\s+at .*/.exec(error.stack ?? "")?.[0].trim() ?? "";
  return `${error.name}: ${error.message.slice(0, messageLengthMax)} ${thrownAt}`.trimEnd();
}
