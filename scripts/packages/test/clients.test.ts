import assert from "node:assert/strict";
import { join } from "node:path";
import { testsNeeding } from "../../../packages/server/test/support/needs.ts";
import { InstalledServer } from "./support/installed-server.ts";
import { NpmProject } from "./support/npm-project.ts";
import { installOtherNodes, missingOtherNodes, nodeFolder, older, tooOld } from "./support/other-nodes.ts";
import { missingFromRegistry } from "./support/registry.ts";
import { openQueue } from "./support/rooms.ts";

const { after, before, describe, test } = testsNeeding(
  missingOtherNodes,
  await missingFromRegistry("typescript@5.9.3"),
);

describe("projects that install @openseat/client", () => {
  const [typescript, commonjs] = [new NpmProject("typescript"), new NpmProject("commonjs")];
  let server: InstalledServer;
  let queue: string;
  before(async () => {
    await Promise.all([
      typescript.install(["@openseat/client"]),
      commonjs.install(["@openseat/client"]),
      installOtherNodes(),
    ]);
    server = await InstalledServer.start();
    queue = await openQueue(server);
  });
  after(async () => {
    await server?.stop();
    for (const each of [typescript, commonjs]) each.remove();
  });

  /** What each project prints: a seat, a refusal, a visit that was admitted, and a move. */
  const whatTheyDo = { seat: "ACTIVE", refused: "room.full", visit: "completed", moved: true };

  const allNodes = () => [...[tooOld, older].map((each) => join(nodeFolder(each), "node")), process.execPath];

  async function run(project: NpmProject, node: string, program: string): Promise<unknown> {
    return JSON.parse(await project.succeeds(node, [program, server.url, queue]));
  }

  test("a strict NodeNext project compiles without skipping any check, and runs", async () => {
    await typescript.succeeds("npx", ["tsc"]);
    for (const node of allNodes())
      assert.deepEqual(await run(typescript, node, "built/main.js"), whatTheyDo, node);
  });

  test("a CommonJS project requires it", async () => {
    for (const node of allNodes()) assert.deepEqual(await run(commonjs, node, "main.js"), whatTheyDo, node);
  });
});
