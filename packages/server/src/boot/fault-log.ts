import type { Logger } from "pino";
import type { Clock, Timer } from "../clock.ts";

/** A line about something that went wrong. Lines of one cause are summarised. */
export interface FaultLine {
  readonly level: "warn" | "error";
  readonly cause: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The room that it happened in, where the summary has to name all of them. */
  readonly stream?: string;
}

/** What has become of one cause since its latest line. */
interface Known {
  readonly line: FaultLine;
  level: FaultLine["level"];
  repeats: number;
  readonly streams: Set<string>;
  timer: Timer | undefined;
}

/** How soon the same cause is worth another line. */
const sameAgainMs = 60_000;
/** Distinct causes that are remembered; those beyond it are summarised together. */
const causesMax = 100;
const messageLengthMax = 200;
const furtherCauses = "further causes";
/** Rooms that one summary names. */
const streamsMax = 100;

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
  // Otherwise errors among the further causes are reported as warnings when the first of those was one.
  if (level === "error") known.level = level;
  if (stream !== undefined && known.streams.size < streamsMax) known.streams.add(stream);
}

/** What tells one error from another: what it says, and where it was thrown. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, messageLengthMax);
  const thrownAt = /\n\s+at .*/.exec(error.stack ?? "")?.[0].trim() ?? "";
  return `${error.name}: ${error.message.slice(0, messageLengthMax)} ${thrownAt}`.trimEnd();
}
