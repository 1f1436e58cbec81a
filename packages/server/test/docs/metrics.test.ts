import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serverOfSuite } from "../support/server.ts";
import { tableRows } from "./reference.ts";

describe("metrics", () => {
  const { server } = serverOfSuite([]);

  test("docs/reference/metrics.md names every metric of Openseat, with its type and meaning, and no other", async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
    const measured = [...text.matchAll(/^# HELP (openseat_\S+) (.*)$/gm)].map(([, name, help]) =>
      [name, types.get(name), help].join(" | "),
    );
    const written = tableRows("docs/reference/metrics.md", ["Metric", "Type", "Labels", "Meaning"]).map(
      ([name, type, , meaning]) => [name, type, meaning].join(" | "),
    );
    assert.deepEqual(written.sort(), measured.sort());
  });
});
