import { existsSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../src/version.ts";
import { missingPostgres } from "../../support/postgres-programs.ts";
import { record } from "./record.ts";

/** `npx node packages/server/test/upgrade/record/main.ts`: records what this version writes, for tests of later ones. */
const folder = join(import.meta.dirname, `../written-by-${version}`);
if (existsSync(folder))
  throw new Error(
    `${folder} exists. Never record a release again: keep what it wrote, and see CONTRIBUTING.md.`,
  );
if (missingPostgres) throw new Error(`Record it on another machine: ${missingPostgres}.`);
await record(folder, version);
process.stdout.write(`Wrote ${folder}. Commit it.\n`);
// Twilio's stand-in and PostgreSQL would keep this process alive.
process.exit();
