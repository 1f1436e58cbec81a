import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { describe, suite, test } from "node:test";
import { until, within } from "../../../packages/server/test/support/http.ts";
import { testsNeeding } from "../../../packages/server/test/support/needs.ts";
import { root } from "../src/root.ts";
import { instructionsOf, readDockerfile } from "./deploy/dockerfile.ts";
import { Image, missingRoot } from "./deploy/image.ts";
import { missingFromRegistry } from "./support/registry.ts";

const stages = readDockerfile();
const [build, run] = stages;
const ignored = readFileSync(join(root, ".dockerignore"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

describe("the Dockerfile", () => {
  test("has a build stage and a run stage, on the Node of the tests", () => {
    assert.deepEqual(
      stages.map(({ image, name }) => [image, name]),
      [
        [`node:${process.versions.node}-slim`, "build"],
        [`node:${process.versions.node}-slim`, undefined],
      ],
    );
  });

  test("installs from the lock file and every workspace's package.json, before it copies the sources", () => {
    const install = build.instructions.findIndex(({ rest }) => rest.startsWith("npm ci"));
    const copies = build.instructions.filter(({ name }) => name === "COPY");
    const copiedBefore = build.instructions
      .slice(0, install)
      .filter(({ name }) => name === "COPY")
      .map(({ rest }) => rest.split(" "));
    const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const manifests = globSync(
      (workspaces as string[]).map((each) => `${each}/package.json`),
      { cwd: root },
    );
    assert.ok(manifests.length >= 11);
    assert.deepEqual(copiedBefore, [
      ["package.json", "package-lock.json", ".npmrc", "./"],
      ...manifests.sort().map((path) => [path, `${dirname(path)}/`]),
    ]);
    assert.equal(copies.at(-1)!.rest, ". .");
    assert.match(build.instructions.at(-1)!.rest, /^npm run packages openseat$/);
  });

  test(".dockerignore keeps sources, and leaves out data, secrets and what is built", () => {
    const isIgnored = (path: string) => {
      const parts = path.split("/");
      const above = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
      return ignored.some((pattern) => above.some((each) => matchesGlob(each, pattern)));
    };
    const needed = [
      ...["package-lock.json", ".npmrc", "LICENSE", "README.md", "tsconfig.base.json"],
      ...globSync(
        ["packages/*/{src,bin}/**/*.*", "scripts/packages/src/**/*.*", "{packages,scripts}/*/package.json"],
        {
          cwd: root,
        },
      ),
    ];
    assert.deepEqual(needed.filter(isIgnored), []);
    for (const path of [
      ...[
        ".git/config",
        "data/secrets.json",
        "packages/server/data/openseat.db",
        ".env",
        "packages/server/.env.local",
      ],
      ...[
        "node_modules/ws/index.js",
        "packages/web/node_modules/x/index.js",
        "build/tarballs/openseat-0.1.0.tgz",
      ],
    ])
      assert.ok(isIgnored(path), path);
  });

  test("runs as the user of the base image, with the data in a volume that belongs to it", () => {
    const names = run.instructions.map(({ name, rest }) => `${name} ${rest}`);
    const at = (pattern: RegExp) => names.findIndex((each) => pattern.test(each));
    assert.ok(at(/chown node:node \/data/) >= 0 && at(/chown node:node \/data/) < at(/^VOLUME \/data$/));
    assert.ok(at(/^USER node$/) >= 0 && at(/^USER node$/) < at(/^CMD/));
    assert.equal(instructionsOf(run, "COPY").length, 0, "nothing of the sources");
  });
});

const needing = testsNeeding(missingRoot, await missingFromRegistry("fastify@5"));

suite("the image, executed without a container engine", () => {
  needing.test(
    "an ordinary user runs it, its health check follows PORT, and it keeps its data",
    async (t) => {
      const image = new Image();
      try {
        image.build(run);
        assert.deepEqual([image.user, image.volumes, image.stopSignal], ["node", ["/data"], "SIGTERM"]);
        assert.deepEqual(
          image.packages().filter((each) => /^node-(?:bin-)?(?:linux|darwin|win)/.test(each)),
          [],
        );
        t.diagnostic(`${image.packages().length} packages, ${(image.installedBytes() / 1e6).toFixed(1)} MB`);
        assert.ok(image.installedBytes() < 40e6);
        const secrets: string[] = [];
        for (const round of ["first", "second"]) {
          const server = await image.start();
          let said = "";
          server.process.stdout!.resume();
          server.process.stderr!.on("data", (chunk: Buffer) => {
            said += chunk.toString("utf8");
          });
          const ended = new Promise((resolve) =>
            server.process.once("close", (code, signal) => resolve({ code, signal })),
          );
          try {
            await until(`the ${round} start`, () => {
              if (server.process.exitCode !== null) throw new Error(`it ended while starting: ${said}`);
              return said.includes("Openseat is at");
            });
            assert.equal(await image.healthCheck(server.env), 0);
            const elsewhere = { ...server.env, PORT: "1" };
            assert.equal(await image.healthCheck(elsewhere), 1, "nothing listens there");
            const home = await fetch(`http://127.0.0.1:${server.env.PORT}/`);
            assert.deepEqual(
              [home.status, home.headers.get("content-type")],
              [200, "text/html; charset=utf-8"],
            );
            const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
            assert.match(status, /^Uid:\t(?!0\t)(\d+)\t\1\t\1\t\1$/m);
            secrets.push(image.read("/data/secrets.json"));
          } finally {
            server.process.kill(image.stopSignal as NodeJS.Signals);
          }
          assert.deepEqual(await within("the stop", ended), { code: 0, signal: null });
          assert.equal(await image.healthCheck(server.env), 1);
        }
        assert.equal(secrets[0], secrets[1]);
      } finally {
        image.remove();
      }
    },
  );
});
