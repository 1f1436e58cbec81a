import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readRepoFile } from "../docs/reference.ts";
import type { Json } from "../support/http.ts";
import { startServer } from "../support/server.ts";

/** The routes that a configuration blocks in its `map`: patterns of a method and a path. */
function closedBy(name: string): RegExp[] {
  const [map] = readRepoFile(`examples/${name}`).match(/^map .*openseat_for_operators \{$.*?^\}$/ms)!;
  return [...map.matchAll(/"~(.*?)"\s+1;/g)].map(([, pattern]) => new RegExp(pattern));
}

describe("the shipped configurations of nginx", () => {
  test("[AU7][HT2] block every route that only operators may use, also with a trailing slash, and no other", async () => {
    const server = await startServer([]);
    const { paths } = (await server.client.get("/openapi.json")).body;
    await server.stop();
    const isClosed = (patterns: readonly RegExp[], route: string) =>
      patterns.some((pattern) => pattern.test(route));
    const routes = Object.entries(paths as Json).flatMap(([path, methods]) =>
      Object.entries(methods as Json).map(([method, operation]) => ({
        route: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "some-1")}`,
        isOperators: String((operation as Json)["x-access"]) === "operator",
      })),
    );
    for (const name of ["nginx/openseat.conf", "several-nodes/openseat.conf"]) {
      const patterns = closedBy(name);
      const found = routes.filter(({ route }) => isClosed(patterns, route));
      const expected = routes.filter(
        ({ route, isOperators }) =>
          isOperators || (name.startsWith("several") && route.endsWith(" /metrics")),
      );
      assert.deepEqual(found, expected, name);
      assert.ok(found.length >= 11);
      for (const { route } of found) assert.ok(isClosed(patterns, `${route}/`), `${name}: ${route}/`);
    }
  });
});
