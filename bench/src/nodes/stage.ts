import type { Bench } from "../bench.ts";
import type { Verdict } from "../findings.ts";
import { nothing } from "../findings.ts";
import { LoadError } from "../load.ts";
import type { Openseat } from "../openseat-server.ts";
import { Crowd } from "../persons.ts";
import { Fleet } from "./fleet.ts";
import { JoinLedger } from "./join-ledger.ts";
import { joinsInDatabase, joinsInFolder } from "./joined-log.ts";
import { Textbook } from "./textbook-program.ts";
import type { TextbookTotals } from "./textbook-server.ts";

/** The sizes of the fleets, each on its own database. */
export const fleetSizes = [1, 2, 3] as const;

/** A server with its acknowledged joins. Each server has its own crowd, so that nobody joins two of them. */
type Joined<Server> = { readonly server: Server; readonly crowd: Crowd; readonly ledger: JoinLedger };

/**
 * All contenders of the scenario: Openseat on SQLite, one, two and three nodes on PostgreSQL, and the textbook.
 * They share one PostgreSQL, and all run from the first slice to the last.
 */
export class Stage {
  readonly textbook: Joined<Textbook>;
  readonly alone: Joined<Openseat>;
  readonly fleets: readonly Joined<Fleet>[];

  private constructor(textbook: Textbook, alone: Openseat, fleets: readonly Fleet[]) {
    const joined = <Server>(server: Server, crowd: Crowd) => ({ server, crowd, ledger: new JoinLedger() });
    this.textbook = joined(textbook, new Crowd("textbook"));
    this.alone = joined(alone, alone.crowd);
    this.fleets = fleets.map((fleet) => joined(fleet, fleet.crowd));
  }

  /** Sets everything up, and tears it down again whatever happens. */
  static with<T>(bench: Bench, measure: (stage: Stage) => Promise<T>): Promise<T> {
    return bench.withOpenseat(async (alone) => {
      const textbook = await Textbook.start();
      const fleets: Fleet[] = [];
      try {
        for (const count of fleetSizes) {
          bench.progress.show(`starting ${count} of the nodes`);
          const url = await textbook.createDatabase(`nodes_${count}`);
          const fleet = new Fleet(bench.options.server, url, count);
          fleets.push(fleet);
          await fleet.start();
        }
        return await measure(new Stage(textbook, alone, fleets));
      } catch (error) {
        const lastWords = fleets.map((fleet) => fleet.lastWords).find((words) => words !== undefined);
        if (!(error instanceof LoadError) || lastWords === undefined) throw error;
        throw new LoadError(`${error.message}\nA node has ended. Its last output:\n${lastWords}`);
      } finally {
        await Promise.all(fleets.map((fleet) => fleet.remove()));
        await textbook.stop();
      }
    });
  }

  /** Checks that the logs contain every acknowledged join exactly once. Stops the SQLite server to read its log. */
  async verdicts(totals: TextbookTotals): Promise<Verdict[]> {
    const { alone, fleets, textbook } = this;
    await alone.server.stop();
    const found = await alone.ledger.verdicts("SQLite", joinsInFolder(alone.server.folder));
    for (const [index, { server, ledger }] of fleets.entries()) {
      const whose = `PostgreSQL, ${nodesText(fleetSizes[index])}`;
      found.push(...(await ledger.verdicts(whose, joinsInDatabase(server.databaseUrl))));
    }
    const { seats, participants, seated } = totals;
    const { count } = textbook.ledger;
    const off = [seats, participants, seated].reduce((sum, each) => sum + Math.abs(each - count), 0);
    return [...found, nothing("textbook: joins lost or recorded twice", off)];
  }
}

export function nodesText(count: number): string {
  return count === 1 ? "1 node" : `${count} nodes`;
}
