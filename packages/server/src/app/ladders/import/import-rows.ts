import { type ImportRow, ladderLimits, type Millis, type PersonId, type Refusal } from "@openseat/kernel";
import { isPersonId, personIdShape } from "../../identity.ts";
import { shownName } from "../../names.ts";
import type { Refused } from "../../result.ts";
import { isDay } from "../../validation.ts";
import { csvRows } from "./csv.ts";
import { jsonRows } from "./json-rows.ts";

/** After this many faults, the rest is not read. */
const faultsListedMax = 20;

const needed = ["playerA", "playerB", "scoreA", "scoreB"] as const;
const known = [...needed, "nameA", "nameB", "at", "status", "turn"] as const;
/** A past match, unchecked. */
type Given = Readonly<Partial<Record<(typeof known)[number], unknown>>>;

const statuses: readonly unknown[] = ["pending", "counted", "voided", "declined", "lapsed"];

type Rows = { readonly rows: readonly ImportRow[] } | Refused;

/** A file is imported as a whole or not at all, so the refusal lists the invalid rows. */
export function importRows({ type, text, rowsMax }: ImportText, now: Millis): Rows {
  const reading = new Reading(now);
  const refusal = type === "csv" ? readCsv(text, rowsMax, reading) : readJson(text, rowsMax, reading);
  return refusal ? { refusal } : reading.result();
}

interface ImportText {
  readonly type: "csv" | "json";
  readonly text: string;
  readonly rowsMax: number;
}

/** CSV whose first line names the columns; other columns are ignored. */
function readCsv(text: string, rowsMax: number, reading: Reading): Refusal | undefined {
  let columns: readonly (readonly [string, number])[] | undefined;
  let misnamed: string | undefined;
  const fault = csvRows(text, 1 + rowsMax, (values) => {
    if (columns)
      return reading.add(Object.fromEntries(columns.map(([name, at]) => [name, values[at] ?? ""])));
    misnamed = faultOfHeader(values);
    columns = known.map((name) => [name, values.indexOf(name)] as const).filter(([, at]) => at >= 0);
    return misnamed === undefined;
  });
  const problem = fault ?? misnamed ?? (columns ? undefined : faultOfHeader([]));
  return problem === undefined ? undefined : unreadable(problem);
}

function faultOfHeader(header: readonly string[]): string | undefined {
  const twice = known.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (twice) return `The first line names ${twice} twice.`;
  const missing = needed.find((name) => !header.includes(name));
  return missing && `The first line must name the columns; ${missing} is missing.`;
}

/** Matches in a JSON body, in the format of reports or of exports. */
function readJson(text: string, rowsMax: number, reading: Reading): Refusal | undefined {
  return jsonRows(text, rowsMax, (row) => reading.add(givenFrom(isObject(row) ? row : {})));
}

function givenFrom(match: Fields): Given {
  const [a, b] = listOf(match.players).map(
    (player): Fields => (isObject(player) ? player : { userId: player }),
  );
  const [scoreA = a?.score, scoreB = b?.score] = listOf(match.scores);
  const [nameA = a?.name, nameB = b?.name] = listOf(match.names);
  const at = match.at ?? match.playedAt ?? match.reportedAt;
  const { status, turn } = match;
  return { playerA: a?.userId, playerB: b?.userId, scoreA, scoreB, nameA, nameB, at, status, turn };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

class Reading {
  readonly #now: Millis;
  readonly #rows: { readonly row: ImportRow; readonly turn: number }[] = [];
  readonly #faults: { readonly row: number; readonly problem: string }[] = [];
  #read = 0;

  constructor(now: Millis) {
    this.#now = now;
  }

  /** False after too many faults. */
  add(given: Given): boolean {
    this.#read++;
    if (!isCounted(given)) return true;
    const row = importRow(given, this.#now);
    if (typeof row !== "string") this.#rows.push({ row, turn: turnOf(given) });
    else this.#faults.push({ row: this.#read, problem: row });
    return this.#faults.length < faultsListedMax;
  }

  result(): Rows {
    const [fault] = this.#faults;
    if (fault) {
      const message = `Row ${fault.row}: ${fault.problem}. Nothing was imported.`;
      return { refusal: { ...unreadable(message), data: { rows: this.#faults } } };
    }
    if (this.#rows.length === 0) return { refusal: unreadable("The file contains no match.") };
    // Rows of an export are in the order in which they counted; others are in the order of the file.
    if (this.#rows.every(({ turn }) => turn > 0)) this.#rows.sort((a, b) => a.turn - b.turn);
    return { rows: this.#rows.map(({ row }) => row) };
  }
}

/** The position of a match that counts in an export; NaN for others. */
function turnOf({ status, turn }: Given): number {
  return status !== "counted" || turn === undefined || turn === "" ? Number.NaN : Number(turn);
}

/** Exported matches that do not count are skipped. An unknown status is a fault of its row. */
function isCounted({ status }: Given): boolean {
  return status === "counted" || !statuses.includes(status);
}

/** The row, or what is wrong with it. */
function importRow(given: Given, now: Millis): ImportRow | string {
  const { playerA, playerB, status } = given;
  if (status !== undefined && status !== "" && status !== "counted")
    return `status must be one of ${statuses.join(", ")}, or empty`;
  if (!isPersonId(playerA)) return `playerA must have ${personIdShape}`;
  if (!isPersonId(playerB)) return `playerB must have ${personIdShape}`;
  if (playerA === playerB) return "playerA and playerB must be different people";
  const scores = [scoreFrom(given.scoreA), scoreFrom(given.scoreB)] as const;
  const bad = scores.indexOf(undefined);
  if (bad >= 0) return `score${"AB"[bad]} must be a whole number from 0 to ${ladderLimits.scoreMax}`;
  const at = timeFrom(given.at, now);
  if (at === undefined) return "at must be a past time, such as 2024-05-31T18:30:00Z or 2024-05-31";
  return {
    players: [playerA, playerB],
    scores: scores as readonly [number, number],
    names: [nameFrom(given.nameA, playerA), nameFrom(given.nameB, playerB)],
    at,
  };
}

function scoreFrom(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,4}$/.test(value.trim()) ? Number(value) : value;
  const isGood =
    Number.isInteger(number) && (number as number) >= 0 && (number as number) <= ladderLimits.scoreMax;
  return isGood ? (number as number) : undefined;
}

/** Null if none is given; undefined if it is invalid. */
function timeFrom(value: unknown, now: Millis): Millis | null | undefined {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(value))
    return undefined;
  if (!isDay(value)) return undefined;
  const millis = Date.parse(value);
  return millis >= 0 && millis <= now ? (millis as Millis) : undefined;
}

function nameFrom(value: unknown, person: PersonId): string {
  return shownName(typeof value === "string" && value !== "" ? value : undefined, person);
}

function unreadable(message: string): Refusal {
  return { code: "import.invalid", message };
}
