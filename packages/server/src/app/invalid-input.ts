import type { Refusal } from "@openseat/kernel";

export interface Fault {
  readonly field: string;
  readonly problem: string;
}

/** Field names that a client made up are cut to this length. */
const toldNameLengthMax = 100;

/** The refusal is about the first fault; `errors` lists all that are known. */
export function invalidInput(
  part: string,
  field: string,
  problem: string,
  faults: readonly Fault[] = [],
): Refusal {
  const others = faults.filter((fault) => fault.field !== field);
  const errors = [{ field, problem }, ...others].map(({ field: name, problem: what }) => ({
    field: told(name),
    message: `${told(name)} ${what}.`,
  }));
  const [first] = errors;
  return {
    code: "input.invalid",
    message: first.message,
    data: { in: part, field: first.field, problem, errors },
  };
}

/** A cursor that this server did not hand out. */
export const unknownCursor = invalidInput("query", "cursor", "must be the nextCursor of the page before");

function told(name: string): string {
  return name.length > toldNameLengthMax ? `${name.slice(0, toldNameLengthMax).toWellFormed()}…` : name;
}
