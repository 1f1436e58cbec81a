import { Child } from "./children.ts";
import { wholeText } from "./formats.ts";
import { LoadError } from "./load.ts";
import type { Progress } from "./progress.ts";

/** Messages of a filling program: how many are in so far, and the result. */
export type FillReport = { readonly entered: number } | { readonly done: true } | { readonly error: string };

type Filling = {
  readonly program: string;
  readonly order: object;
  readonly people: number;
  /** What is filled, in the plural. */
  readonly what: string;
};

const peoplePerStep = 50_000;

/** Progress steps for filling in this many people. */
export const fillingSteps = (people: number): number => people / peoplePerStep;

/** Runs a program that fills the folder of a stopped server. Its memory is freed when it exits. */
export async function fill(progress: Progress, { program, order, people, what }: Filling): Promise<void> {
  const child = new Child(program, { channel: true });
  let stepped = 0;
  const onEntered = (entered: number): void => {
    progress.show(`filling ${what}, ${wholeText(entered)} of ${wholeText(people)}`);
    progress.step(fillingSteps(entered - stepped));
    stepped = entered;
  };
  try {
    await filled(child, order, onEntered, what);
  } finally {
    await child.stop("SIGTERM");
  }
}

function filled(
  child: Child,
  order: object,
  onEntered: (entered: number) => void,
  what: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new LoadError(`The ${what} could not be filled: ${why}`));
    child.process.on("message", (report: FillReport) => {
      if ("done" in report) resolve();
      else if ("error" in report) fail(report.error);
      else onEntered(report.entered);
    });
    child.process.on("exit", () => fail(child.output || "its process has ended."));
    child.process.send(order);
  });
}
