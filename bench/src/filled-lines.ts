import { fileURLToPath } from "node:url";
import type { Bench } from "./bench.ts";
import { Child } from "./children.ts";
import { wholeText } from "./formats.ts";
import type { FillOrder, FillReport } from "./line-filler.ts";
import { type LineOrder, peopleOf } from "./line-filling.ts";
import { LoadError } from "./load.ts";
import type { Openseat } from "./openseat-server.ts";

const program = fileURLToPath(new URL("./line-filler.ts", import.meta.url));
const peoplePerStep = 50_000;

/** The steps that filling lines with so many people counts for in the progress. */
export const fillingSteps = (people: number): number => people / peoplePerStep;

/** Fills lines in the folder of a server that does not run. */
export async function fillLines(
  { progress }: Bench,
  server: Openseat,
  orders: readonly Omit<LineOrder, "keyStart">[],
): Promise<void> {
  const people = orders.reduce((sum, order) => sum + peopleOf(order), 0);
  const lines = orders.map((order) => ({ ...order, keyStart: server.crowd.keyStart }));
  const child = new Child(program, { channel: true });
  let stepped = 0;
  const onEntered = (entered: number): void => {
    progress.show(`filling lines, ${wholeText(entered)} of ${wholeText(people)}`);
    progress.step(fillingSteps(entered - stepped));
    stepped = entered;
  };
  try {
    await filled(child, { folder: server.folder, lines }, onEntered);
  } finally {
    await child.stop("SIGTERM");
  }
}

function filled(child: Child, order: FillOrder, onEntered: (entered: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new LoadError(`A line could not be filled: ${why}`));
    child.process.on("message", (report: FillReport) => {
      if ("done" in report) resolve();
      else if ("error" in report) fail(report.error);
      else onEntered(report.entered);
    });
    child.process.on("exit", () => fail(child.output || "its process has ended."));
    child.process.send(order);
  });
}
