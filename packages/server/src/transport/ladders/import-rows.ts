import { type ImportRow, ladderLimits, type Millis, type PersonId, type Refusal } from "@openseat/kernel";
import { isPersonId } from "../auth/identity.ts";
import { shownName } from "../names.ts";
import { isDay } from "../validation.ts";
import { csvRows } from "./csv.ts";

/** So many faults are told at once: whoever mends a file wants more than one, and nobody reads a thousand. */
const faultsToldMax = 20;

const needed = ["playerA", "playerB", "scoreA", "scoreB"] as const;
const known = [...needed, "nameA", "nameB", "at", "status", "turn"] as const;
/** A past match as a file gives it: anything, until it has been looked at. */
type Given = Readonly<Partial<Record<(typeof known)[number], unknown>>>;

const statuses: readonly unknown[] = ["pending", "counted", "voided", "declined", "lapsed"];

/** The rows of a CSV file whose first line names its columns; further columns are left alone. */
export function rowsFromCsv(text: string): { rows: readonly Given[] } | { refusal: Refusal } {
  const read = csvRows(text, 1 + ladderLimits.importRowsMax);
  if ("fault" in read) return { refusal: unreadable(read.fault) };
  const [header = [], ...rest] = read.rows;
  const twice = known.find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (twice) return { refusal: unreadable(`The first line names ${twice} twice.`) };
  const missing = needed.find((name) => !header.includes(name));
  if (missing) return { refusal: unreadable(`The first line must name the columns; ${missing} is missing.`) };
  const columns = known.map((name) => [name, header.indexOf(name)] as const).filter(([, at]) => at >= 0);
  const rows = rest.map((values) =>
    Object.fromEntries(columns.map(([name, at]) => [name, values[at] ?? ""])),
  );
  return { rows: rows as Given[] };
}

/** The matches of a JSON body: as they are reported, or as they are exported. */
export function rowsFromJson(matches: readonly unknown[]): readonly Given[] {
  const objects = matches.map(
    (match) => (typeof match === "object" && match !== null ? match : {}) as JsonMatch,
  );
  return objects.map((match) => {
    const [a, b] = listOf(match.players).map((player) => (isObject(player) ? player : { userId: player }));
    const [scoreA = a?.score, scoreB = b?.score] = listOf(match.scores);
    const [nameA = a?.name, nameB = b?.name] = listOf(match.names);
    const at = match.at ?? match.playedAt ?? match.reportedAt;
    const { status, turn } = match;
    return { playerA: a?.userId, playerB: b?.userId, scoreA, scoreB, nameA, nameB, at, status, turn };
  });
}

interface JsonMatch {
  readonly status?: unknown;
  readonly turn?: unknown;
  readonly players?: unknown;
  readonly scores?: unknown;
  readonly names?: unknown;
  readonly at?: unknown;
  readonly playedAt?: unknown;
  readonly reportedAt?: unknown;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(
  value: unknown,
): value is { readonly userId?: unknown; readonly score?: unknown; readonly name?: unknown } {
  return typeof value === "object" && value !== null;
}

/** All of the rows, or which of them are not good and why: half a file is never imported. */
export function importRows(
  given: readonly Given[],
  now: Millis,
): { rows: ImportRow[] } | { refusal: Refusal } {
  if (!given.some(isCounted)) return { refusal: unreadable("There is no match in the file.") };
  const faults: { row: number; problem: string }[] = [];
  const rows: ImportRow[] = [];
  for (const [index, row] of inTurn(given)) {
    if (!isCounted(row)) continue;
    const read = importRow(row, now);
    if (typeof read !== "string") rows.push(read);
    else if (faults.push({ row: index + 1, problem: read }) === faultsToldMax) break;
  }
  if (faults.length === 0) return { rows };
  const [{ row, problem }] = faults;
  return {
    refusal: { ...unreadable(`Row ${row}: ${problem}. Nothing was imported.`), data: { rows: faults } },
  };
}

/** Of an export, in the order in which they came to count there; else in that of the file. Each with its place in the file. */
function inTurn(given: readonly Given[]): [number, Given][] {
  const rows = [...given.entries()];
  const turnOf = ({ turn }: Given) => (turn === undefined || turn === "" ? Number.NaN : Number(turn));
  const isExported = (row: Given) => row.status === "counted" && turnOf(row) > 0;
  if (!given.filter(isCounted).every(isExported)) return rows;
  return rows.filter(([, row]) => isCounted(row)).sort(([, a], [, b]) => turnOf(a) - turnOf(b));
}

/** Of an export, what did not count then is not to count here. What is no status at all is a fault of its row. */
function isCounted({ status }: Given): boolean {
  return status === "counted" || !statuses.includes(status);
}

/** The row, or what is wrong with it. */
function importRow(given: Given, now: Millis): ImportRow | string {
  const { playerA, playerB, status } = given;
  if (status !== undefined && status !== "" && status !== "counted")
    return `status must be one of ${statuses.join(", ")}, or empty`;
  if (!isPersonId(playerA)) return "playerA must be 1 to 128 characters without spaces, and not begin with @";
  if (!isPersonId(playerB)) return "playerB must be 1 to 128 characters without spaces, and not begin with @";
  if (playerA === playerB) return "nobody plays against themselves";
  const scores = [scoreFrom(given.scoreA), scoreFrom(given.scoreB)] as const;
  const bad = scores.indexOf(undefined);
  if (bad >= 0) return `score${"AB"[bad]} must be a whole number from 0 to ${ladderLimits.scoreMax}`;
  const at = timeFrom(given.at, now);
  if (at === undefined) return "at must be a time that has passed, as 2024-05-31T18:30:00Z or 2024-05-31";
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

/** Null when none is given; undefined when it is not one. */
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
