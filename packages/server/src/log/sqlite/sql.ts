import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { Row } from "../rows.ts";

interface Statement extends Pick<StatementSync, "run"> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  iterate(...values: SQLInputValue[]): Iterable<Row>;
}

/** The statement with this text, prepared once. */
export type Sql = (text: string) => Statement;
