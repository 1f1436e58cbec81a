import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, suite, test } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { flagOf, settings } from "../../src/config/settings.ts";
import { nodeProblem } from "../../src/node-needs.ts";
import { ChildServer } from "../support/child-server.ts";
import { tempFolder } from "../support/folder.ts";
import { skipOnPostgres } from "../support/store.ts";

const manifest = new URL("../../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8"));

suite("the command line", { skip: skipOnPostgres }, () => {
  const folder = tempFolder();
  after(() => folder.remove());

  for (const asked of ["--version", "-v", "version"])
    test(`${asked} prints the version`, async () => {
      const { code, stdout, stderr } = await ChildServer.run([asked]);
      assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, ""]);
    });

  test("-h, --help and help list every command and setting, and the exit codes", async () => {
    const texts = await Promise.all(["-h", "--help", "help"].map((asked) => ChildServer.run([asked])));
    for (const { code, stdout } of texts) {
      assert.equal(code, 0);
      assert.equal(stdout, texts[0].stdout);
      for (const name of Object.keys(commands)) assert.match(stdout, new RegExp(`^  ${name} +\\S`, "m"));
      for (const name of Object.keys(settings))
        assert.match(stdout, new RegExp(`^  --${flagOf(name)} `, "m"));
      assert.match(stdout, /^Exit codes: 0 .* 1 .* 2 /m);
    }
  });

  for (const name of Object.keys(commands))
    test(`${name} has a help of its own, in three spellings`, async () => {
      const spellings = [
        [name, "--help"],
        [name, "-h"],
        ["help", name],
      ];
      const texts = await Promise.all(spellings.map((args) => ChildServer.run(args)));
      for (const { code, stdout, stderr } of texts) {
        assert.deepEqual([code, stderr], [0, ""]);
        assert.match(stdout, new RegExp(`^Usage: npx openseat \\[?${name}`, "m"));
        assert.equal(stdout, texts[0].stdout);
      }
    });

  const misspelt: [args: string[], sentence: string][] = [
    [["kyes"], 'There is no command "kyes". Did you mean keys? npx openseat --help lists all commands.\n'],
    [["help", "rotate"], 'There is no command "rotate". npx openseat --help lists all commands.\n'],
    [
      ["cpoy", "--help"],
      'There is no command "cpoy". Did you mean copy? npx openseat --help lists all commands.\n',
    ],
    [["--prot", "1"], "Unknown option '--prot'. Did you mean --port? --help shows all settings.\n"],
    [["--no-gests"], "Unknown option '--no-gests'. Did you mean --guests? --help shows all settings.\n"],
  ];
  for (const [args, sentence] of misspelt)
    test(`${args.join(" ")} ends with code 2 and the nearest name`, async () => {
      const { code, stdout, stderr } = await ChildServer.run(args);
      assert.deepEqual([code, stdout, stderr], [2, "", sentence]);
    });

  test("the start says which version it is, and how to get help", async () => {
    const server = await ChildServer.start(["--data", folder.path]);
    assert.match(
      server.stderr,
      new RegExp(`^  This is version ${version.replaceAll(".", "\\.")}\\. npx openseat --help`, "m"),
    );
    assert.equal((await server.signal("SIGTERM")).code, 0);
  });

  test("a Node without what the server needs gets a sentence", (it) => {
    assert.equal(nodeProblem(), undefined);
    it.mock.method(process, "getBuiltinModule", () => undefined);
    const sentence = `Openseat needs Node 24 or newer: this is Node ${process.versions.node}, which lacks the module node:sqlite.`;
    assert.equal(nodeProblem(), sentence);
  });
});
