import type { Refusal } from "@openseat/kernel";

export interface Fault {
  readonly field: string;
  readonly problem: string;
}

/** Longer field names are truncated, because clients may send names of any length. */
const shownNameLengthMax = 100;

/** The refusal is about the first fault; `errors` lists all known ones. */
export function invalidInput(
  part: string,
  field: string,
  problem: string,
  faults: readonly Fault[] = [],
): Refusal {
  const others = faults.filter((fault) => fault.field !== field);
  const errors = [{ field, problem }, ...others].map(({ field: name, problem: what }) => ({
    field: shortened(name),
    message: `${shortened(name)} ${what}.`,
  }));
  const [first] = errors;
  return {
    code: "input.invalid",
    message: first.message,
    data: { in: part, field: first.field, problem, errors },
  };
}

function shortened(name: string): string {
  return name.length > shownNameLengthMax ? `${name.slice(0, shownNameLengthMax).toWellFormed()}…` : name;
}
