import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Example, ExampleProject } from "./gate/example-project.ts";
import { Sale } from "./gate/sale.ts";

const examples: Readonly<Record<string, Example>> = {
  "Express 5": { file: "express.ts" },
  "Express 4": { file: "express-4/express.ts" },
  "Fastify 5": { file: "fastify.ts" },
  Hono: { file: "hono.ts" },
  "node:http": { file: "node.ts" },
  "Cloudflare Workers": { worker: "worker.ts" },
  Next: { next: "next" },
};

suite("the gate examples, from the packed package", () => {
  const project = new ExampleProject();
  before(() => project.install());
  after(() => project.remove());

  test("they and the README compile against the types of the frameworks", () => project.compile());

  for (const [name, example] of Object.entries(examples))
    for (const whenAway of ["closed", "open"] as const)
      test(`${name} lets 300 visitors in at the rate, over an outage, when it is ${whenAway}`, async (context) => {
        const sale = await Sale.open(project, example, whenAway);
        try {
          const { heldBack, seconds, outageSeconds } = await sale.admitAll();
          context.diagnostic(
            `${heldBack} held back, ${seconds} s, of which ${outageSeconds} s without Openseat`,
          );
          await sale.buy();
        } catch (error) {
          throw new Error(`${(error as Error).message}\n${sale.said}`, { cause: error });
        } finally {
          await sale.close();
        }
        assert.doesNotMatch(sale.said, /Unhandled|TypeError: (?!fetch failed)/);
      });
});
