import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serversOf } from "../../src/log/postgres/connection/database-url.ts";

describe("the servers that a database URL names", () => {
  test("[CL7] each gets its own URL with the same parameters", () => {
    const text = "postgres://ann:a,b%40c@one.test:6432,two.test,[::1]:5434,%2Frun%2Fpg/x?sslmode=require";
    assert.deepEqual(serversOf(text), [
      { name: "one.test:6432", url: "postgres://ann:a,b%40c@one.test:6432/x?sslmode=require" },
      { name: "two.test:5432", url: "postgres://ann:a,b%40c@two.test/x?sslmode=require" },
      { name: "[::1]:5434", url: "postgres://ann:a,b%40c@[::1]:5434/x?sslmode=require" },
      { name: "/run/pg:5432", url: "postgres://ann:a,b%40c@%2Frun%2Fpg/x?sslmode=require" },
    ]);
  });

  test("[CL7] a single server keeps its URL unchanged", () => {
    for (const url of [
      "postgres://ann:a,b@one.test/x",
      "postgresql:///x?host=/run/postgresql",
      "postgres://ann@/x",
      "postgres://one.test/x?options=-c%20geqo%3Doff",
    ])
      assert.deepEqual(
        serversOf(url)?.map((server) => server.url),
        [url],
      );
  });
});
