import { testsNeeding } from "../support/needs.ts";
import { missingPostgres } from "../support/postgres-programs.ts";

// A selection of the HTTP tests, on PostgreSQL; `npm run test:postgres` runs all of them so. The store is chosen when the first
// of them is loaded, so they are imported after it is set.
process.env.OPENSEAT_TEST_STORE = "postgres";

const chosen = [
  "http/games",
  "http/keys",
  "queues/journey",
  "queues/keys",
  "queues/places",
  "ladders/http",
  "ladders/keys",
  "arenas/keys",
];

if (missingPostgres === undefined) for (const name of chosen) await import(`../${name}.test.ts`);
else testsNeeding(missingPostgres).test("HTTP on PostgreSQL");
