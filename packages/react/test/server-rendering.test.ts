import assert from "node:assert/strict";
import { test } from "node:test";
import { Openseat } from "@openseat/client";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { OpenseatProvider } from "../src/index.ts";
import { Everything } from "./everything.ts";

/** A client that notes whatever it uses. */
function watchedClient() {
  const used: string[] = [];
  const noting = (name: string) => () => {
    used.push(name);
    throw new Error(`${name} was used.`);
  };
  const client = new Openseat({
    url: "http://openseat.test",
    fetch: noting("fetch"),
    webSocket: noting("webSocket") as never,
    clock: { now: () => 0, after: noting("clock") },
    storage: { get: () => void used.push("storage"), set: noting("storage"), remove: noting("storage") },
  });
  used.length = 0;
  return { client, used };
}

test("on a server, every hook renders that it is loading, and uses no network, storage or timer", () => {
  const { client, used } = watchedClient();
  const html = renderToString(createElement(OpenseatProvider, { client }, createElement(Everything)));
  const loading = "true undefined";
  assert.equal(html, `<p>${[loading, loading, loading, loading, "", "", "", "0"].join(", ")}</p>`);
  assert.deepEqual(used, []);
});

test("a hook outside a provider says what is missing", () => {
  assert.throws(() => renderToString(createElement(Everything)), /<OpenseatProvider client=/);
});
