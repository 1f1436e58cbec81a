import { fileURLToPath } from "node:url";
import type { Bench } from "./bench.ts";
import { fill } from "./filling.ts";
import type { FillOrder } from "./line-filler.ts";
import { type LineOrder, peopleOf } from "./line-filling.ts";
import type { Openseat } from "./openseat-server.ts";

const program = fileURLToPath(new URL("./line-filler.ts", import.meta.url));

/** Fills lines in the folder of a stopped server. */
export async function fillLines(
  { progress }: Bench,
  server: Openseat,
  orders: readonly Omit<LineOrder, "keyStart">[],
): Promise<void> {
  const people = orders.reduce((sum, order) => sum + peopleOf(order), 0);
  const lines = orders.map((order) => ({ ...order, keyStart: server.crowd.keyStart }));
  const order: FillOrder = { folder: server.folder, lines };
  await fill(progress, { program, order, people, what: "lines" });
}
