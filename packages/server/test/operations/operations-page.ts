import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readRepoFile } from "../docs/reference.ts";
import { blocksOf, type GuidePlace, runCommands } from "../support/guide-shell.ts";

const standIns = fileURLToPath(new URL("./postgres-stand-ins.ts", import.meta.url));

/** PostgreSQL's programs that pages use, and commands that do the same by hand. */
export const postgresStandIns = Object.fromEntries(
  ["psql", "pg_basebackup", "pg_dump", "pg_restore"].map((name) => [
    name,
    `"${process.execPath}" "${standIns}" ${name}`,
  ]),
);

/** A page of docs/operations: its commands, block by block, and the messages that it quotes. */
export class OperationsPage {
  readonly #commands: readonly string[];
  readonly #quotes: readonly string[];
  #ran = 0;

  constructor(name: string) {
    const page = readRepoFile(`docs/operations/${name}.md`);
    this.#commands = blocksOf(page);
    this.#quotes = blocksOf(page, "text").map((block) => block.trim());
  }

  /** Runs the next block of the page, which must mention this text. Returns its output. */
  async run(mentioned: string, place: GuidePlace): Promise<string> {
    const commands = this.#commands[this.#ran++] ?? "";
    assert.ok(commands.includes(mentioned), `the next block is not about ${mentioned}:\n${commands}`);
    return (await runCommands(commands, place)).stdout;
  }

  /** Asserts that every block ran, and that the server printed every quoted message, ignoring numbers. */
  assertDone(said: string): void {
    assert.equal(this.#ran, this.#commands.length, "not every block of the page ran");
    const received = withoutNumbers(said);
    for (const quote of this.#quotes)
      assert.ok(received.includes(withoutNumbers(quote)), `not said: ${quote}\nbut:\n${said}`);
  }
}

function withoutNumbers(text: string): string {
  return text.replace(/\d[\d,.]*/g, "#");
}
