import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { refusals } from "@openseat/kernel";
import * as protocol from "@openseat/protocol";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv } from "ajv";
import openapiTS, { astToString } from "openapi-typescript";
import { serverOfSuite } from "../support/server.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}

interface OpenApi {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** The server skips this check, because it would delay each start. */
test("every schema of the wire is a valid schema", () => {
  const ajv = new Ajv();
  const schemas = Object.entries(protocol).filter(
    ([, each]) => typeof each === "object" && ("type" in each || "anyOf" in each),
  );
  assert.ok(schemas.length > 50, `only ${schemas.length} schemas`);
  for (const [name, schema] of schemas) assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`);
});

describe("/openapi.json", () => {
  const { server } = serverOfSuite([]);
  let text: string;
  let document: OpenApi;
  let operations: (readonly [string, Operation])[];
  before(async () => {
    text = await (await fetch(`${server.url}/openapi.json`)).text();
    document = JSON.parse(text);
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    );
  });

  test("passes Redocly's linter", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source: text, config });
    const found = problems.map(({ ruleId, location }) => `${ruleId} ${location[0].pointer}`);
    assert.deepEqual(found, []);
  });

  test("every operation has an id, a summary, a resource and its roles", () => {
    const tags = document.tags.map(({ name }) => name);
    for (const [name, { description, security, ...operation }] of operations) {
      assert.match(operation.operationId, /^[a-z]\w+$/, name);
      assert.ok(operation.summary, name);
      assert.equal(operation.tags.length, 1, name);
      assert.ok(tags.includes(operation.tags[0]), name);
      assert.match(description, /^Open to (anyone|the roles?)/, name);
      assert.deepEqual(security, description.startsWith("Open to anyone") ? [] : [{ bearer: [] }], name);
    }
    for (const field of ["operationId", "summary"] as const) {
      const values = operations.map(([, operation]) => operation[field]);
      const twice = values.filter((value, index) => values.indexOf(value) !== index);
      assert.deepEqual(twice, []);
    }
  });

  test("every tag has an operation, and schemas of the protocol are components", () => {
    const used = new Set(operations.flatMap(([, { tags }]) => tags));
    assert.deepEqual(
      document.tags.map(({ name }) => name).filter((name) => !used.has(name)),
      [],
    );
    for (const name of ["Game", "ArenaState", "Ladder", "Queue", "Failure"])
      assert.ok(document.components.schemas[name], name);
  });

  test("a refusal is documented with its status where it is described", () => {
    for (const [name, { description, responses }] of operations)
      for (const [, code, status] of description.matchAll(/`([\w-]+\.[\w-]+)` \((\d+)\)/g)) {
        assert.equal(refusals[code as keyof typeof refusals].status, Number(status), `${name}: ${code}`);
        assert.ok(responses[status], `${name}: ${status}`);
      }
  });

  test("its types compile in a program that uses them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "openseat-types-"));
    try {
      writeFileSync(join(folder, "api.d.ts"), astToString(await openapiTS(text)));
      writeFileSync(join(folder, "use.ts"), program);
      const compiler = new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url);
      const flags = ["--strict", "--noEmit", "--types", "", "--lib", "esnext,dom", "--module", "nodenext"];
      const args = [compiler.pathname, ...flags, "use.ts"];
      const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
      assert.deepEqual([stdout, status], ["", 0]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** A wrong field or status in it would not compile: see its last line. */
const program = `
import type { components, operations } from "./api.d.ts";

type Body<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { "application/json": infer Type } } };
} ? Type : never;

const wanted: components["schemas"]["NewGame"] = { title: "Friday", maxPlayers: 4, waitlist: true };
const joined: Body<"joinGame"> = await (await fetch("/api/v1/games/demo/join", { method: "POST" })).json();
console.log(wanted.title, joined.data.game.currentPlayers + 1, joined.data.participant.status === "ACTIVE");
// @ts-expect-error There is no such field.
console.log(joined.data.game.nonsense);
`;
