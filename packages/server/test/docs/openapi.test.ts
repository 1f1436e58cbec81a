import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { ApiDocument, ApiOperation } from "../../src/transport/http/docs/api-document.ts";
import { serverOfSuite } from "../support/server.ts";

describe("/openapi.json", () => {
  const { server } = serverOfSuite([]);
  let document: ApiDocument;
  let operations: { name: string; path: string; operation: ApiOperation }[];
  before(async () => {
    document = (await (await fetch(`${server.url}/openapi.json`)).json()) as ApiDocument;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        path,
        operation,
      })),
    );
  });

  test("is an OpenAPI 3.1 document with a title, a version and paths", () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.ok(document.info.title && document.info.version);
    assert.ok(operations.length > 0);
    for (const path of Object.keys(document.paths)) assert.match(path, /^\//);
  });

  test("uses the methods, places and statuses that OpenAPI knows", () => {
    for (const { name, operation } of operations) {
      assert.match(name, /^(GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE) /);
      for (const parameter of operation.parameters ?? []) {
        assert.ok(["path", "query", "header", "cookie"].includes(parameter.in), `${name}: ${parameter.in}`);
        assert.ok(parameter.schema, `${name}: ${parameter.name} has no schema`);
      }
      const statuses = Object.keys(operation.responses ?? {});
      assert.ok(statuses.length > 0, `${name} has no responses`);
      for (const status of statuses) assert.match(status, /^([1-5](\d\d|XX)|default)$/);
      for (const response of Object.values(operation.responses ?? {})) {
        assert.equal(typeof response.description, "string", `${name}: a response without a description`);
      }
    }
  });

  test("every $ref leads somewhere", () => {
    const broken = referencesIn(document).filter((reference) => target(document, reference) === undefined);
    assert.deepEqual(broken, []);
  });

  test("every parameter of a path is declared, required, and in the path", () => {
    for (const { name, path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      assert.deepEqual(declared.map((parameter) => parameter.name).sort(), inPath.sort(), name);
      for (const parameter of declared) assert.equal(parameter.required, true, `${name}: ${parameter.name}`);
    }
  });

  test("every operation has a summary of its own", () => {
    const summaries = operations.map(({ operation }) => operation.summary);
    for (const [index, summary] of summaries.entries()) assert.ok(summary, operations[index].name);
    assert.equal(new Set(summaries).size, summaries.length);
  });

  test("every operation says who may use it, and asks for a token where not anyone may", () => {
    for (const { name, operation } of operations) {
      const access = operation["x-access"];
      assert.ok(access, `${name} does not say; is docsRoute called before the other routes are made?`);
      assert.deepEqual(operation.security, access === "public" ? [] : [{ bearer: [] }], name);
    }
  });
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner),
  );
}

function target(document: ApiDocument, reference: string): unknown {
  const steps = reference.replace(/^#\//, "").split("/");
  const names = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<unknown>(
    (found, name) => (found as Record<string, unknown> | undefined)?.[name],
    document,
  );
}
