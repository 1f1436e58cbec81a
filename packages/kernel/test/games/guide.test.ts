import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { AnyGame, ArenaEvent, ArenaRoom, Millis, PersonId } from "@openseat/kernel";
import { catalogue } from "../../src/match/catalogue.ts";
import { checkGame } from "./checks.ts";

const root = join(import.meta.dirname, "../../../..");
const guide = readFileSync(join(root, "docs/guides/add-a-game.md"), "utf8");

/** The only code block in this language. */
function blockOf(language: string): string {
  const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))];
  assert.equal(blocks.length, 1, `the guide has ${blocks.length} blocks of ${language}`);
  return blocks[0][1];
}

/** Applies the diff, except for lines that are already there because somebody has followed the guide. */
function patched(text: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((patching, part) => {
    const after = part.replace(/^[+ ]/gm, "");
    const before = part.replace(/^\+.*\n/gm, "").replace(/^ /gm, "");
    const added = [...part.matchAll(/^\+(.*\n)/gm)].map(([, line]) => line);
    if (added.every((line) => patching.includes(line))) return patching;
    assert.equal(patching.split(before).length, 2, `the catalogue has no single place for: ${after}`);
    return patching.replace(before, () => after);
  }, text);
}

/** A copy of the kernel that has exactly the changes of the guide. */
const copy = mkdtempSync(join(tmpdir(), "openseat-guide-"));
const inCopy = (path: string) => join(copy, "packages/kernel", path);
type Kernel = typeof import("@openseat/kernel");
let kernel: Kernel;
let game: AnyGame;

/** Runs a program of the repository; the test fails if the program does. */
function run(program: string, args: readonly string[]): void {
  try {
    const file = join(root, "node_modules", program);
    execFileSync(process.execPath, [file, ...args], { cwd: copy, encoding: "utf8", timeout: 60_000 });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    assert.fail(`${program} ${args.join(" ")}\n${stdout}${stderr}`);
  }
}

describe("docs/guides/add-a-game.md", () => {
  before(async () => {
    const parts = ["biome.json", "tsconfig.base.json", "scripts/lint", "packages/kernel/package.json"];
    for (const path of [...parts, "packages/kernel/tsconfig.json", "packages/kernel/src"])
      cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
    writeFileSync(inCopy("src/match/games/nim.ts"), blockOf("ts"));
    const path = inCopy("src/match/catalogue.ts");
    writeFileSync(path, patched(readFileSync(path, "utf8"), blockOf("diff")));
    kernel = (await import(pathToFileURL(inCopy("src/index.ts")).href)) as Kernel;
    game = kernel.gameNamed("nim")!;
  });
  after(() => rmSync(copy, { recursive: true }));

  test("[MT1] its one file and its line in the catalogue make a game, after those that were there", () => {
    const names = (games: readonly AnyGame[]) =>
      games.map(({ name }) => name).filter((name) => name !== "nim");
    assert.equal(kernel.catalogue.at(-1), game);
    assert.deepEqual(names(kernel.catalogue), names(catalogue));
  });

  test("its game passes what every game of the catalogue has to pass", () => checkGame(game));

  test("its code passes the compiler and the linter", () => {
    const files = ["--vcs-enabled=false", "packages/kernel/src/match"];
    run("typescript/bin/tsc", ["-p", "packages/kernel/tsconfig.json"]);
    // The guide asks for `npm run fix`. The only change left to it is the order of the imports.
    run("@biomejs/biome/bin/biome", ["check", "--write", ...files]);
    run("@biomejs/biome/bin/biome", ["ci", ...files]);
    assert.equal(readFileSync(inCopy("src/match/games/nim.ts"), "utf8"), blockOf("ts"));
  });

  test("its game is played in an arena, where the winner stays", () => {
    const arena = new NimArena(kernel);
    arena.do({ type: "join", person: "ann" as PersonId, name: "Ann", lane: 0 });
    arena.do({ type: "join", person: "bob" as PersonId, name: "Bob", lane: 0 });
    arena.do({ type: "join", person: "eve" as PersonId, name: "Eve", lane: 0 });
    for (const take of ["3", "1", "3", "1", "3", "1", "3", "1", "3", "1"]) arena.take(take);
    assert.deepEqual(arena.sight()?.notes.at(-1), "Stones left: 1.");
    assert.equal(arena.refusalOf("2"), "move.impossible");
    const first = arena.toMove();
    const ended = arena.take("1").find((event) => event.type === "ended");
    assert.ok(ended, "the last stone was taken and the match continues");
    assert.deepEqual([ended.winner, ended.reason], [first, "played"]);
    assert.equal(arena.room!.seats[first]?.streak, 1);
    assert.equal(arena.room!.seats[1 - first]?.name, "Eve");
    assert.equal(arena.sight()?.notes[0], "Stones left: 21.");
  });
});

/** A minimal host with an arena like the one in the guide. */
class NimArena {
  room: ArenaRoom | undefined;
  readonly #kernel: Kernel;
  #version = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    const body = JSON.parse(/-d '(.*)'/.exec(guide)![1]);
    this.do({
      type: "create",
      ...{ game: body.game, options: body.options, labels: undefined, creator: "ann", seed: 1 },
      lanes: [{ name: "all", skips: 0, immediate: false }],
      settings: {
        ...{ title: body.title, seats: undefined, drawRule: "longest-leaves", maxWins: null },
        ...{ moveTimeoutMs: null, reconnectGraceMs: null, heartbeatTimeoutMs: 60_000 },
        ...{ lineLengthMax: 10, patienceMs: 0 },
      },
    });
  }

  do(command: Parameters<Kernel["arenaDecider"]["decide"]>[1]): readonly ArenaEvent[] {
    const decision = this.#kernel.arenaDecider.decide(this.room, command, 1_000 as Millis);
    if ("refusal" in decision) assert.fail(`refused: ${decision.refusal.code}`);
    this.#version += 1;
    for (const event of decision.events)
      this.room = this.#kernel.arenaDecider.evolve(this.room, event, 1_000 as Millis, this.#version);
    return decision.events;
  }

  toMove(): number {
    return this.room!.match!.play!.toMove[0];
  }

  sight() {
    return this.room!.match?.play?.sight(undefined);
  }

  take(move: string): readonly ArenaEvent[] {
    return this.do(this.#moveOf(move));
  }

  refusalOf(move: string): string | undefined {
    const decision = this.#kernel.arenaDecider.decide(this.room, this.#moveOf(move), 1_000 as Millis);
    return "refusal" in decision ? decision.refusal.code : undefined;
  }

  #moveOf(move: string) {
    const { person } = this.room!.seats[this.toMove()]!;
    const { id, play } = this.room!.match!;
    return { type: "move", person, match: id, turn: play!.turn, move } as const;
  }
}
