import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { clientMessages } from "@openseat/protocol";
import { buildPages } from "@openseat/web/build";
import { serverOfSuite } from "../support/server.ts";

describe("/docs", () => {
  before(() => buildPages());
  const { server } = serverOfSuite([]);

  for (const [path, document] of [
    ["/docs", "/openapi.json"],
    ["/docs/live", "/asyncapi.json"],
  ]) {
    test(`${path} shows ${document} with a script of this server, and may load nothing else`, async () => {
      const response = await fetch(server.url + path);
      const page = await response.text();
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
      const policy = response.headers.get("content-security-policy") ?? "";
      assert.match(policy, /^default-src 'none'; script-src 'self'; .*connect-src 'self';/);
      assert.ok(page.includes(`&quot;url&quot;:&quot;${document}&quot;`), page);
      // An inline script would not run.
      assert.doesNotMatch(page, /<script(?![^>]*(?:src=|data-configuration=))[^>]*>|\son\w+=|https?:\/\//);
      const [, script] = /<script src="([^"]+)"/.exec(page) ?? [];
      const asset = await fetch(server.url + script);
      assert.equal(asset.status, 200);
      assert.equal(asset.headers.get("content-type"), "text/javascript; charset=utf-8");
      assert.match(asset.headers.get("cache-control") ?? "", /immutable/);
    });
  }
});

describe("/asyncapi.json", () => {
  const { server } = serverOfSuite([]);

  test("has every message that clients may send, with an example, and every message that they get", async () => {
    const { body } = await server.client.get("/asyncapi.json");
    assert.equal(body.asyncapi, "3.0.0");
    const { messages } = body.channels.live;
    for (const type of Object.keys(clientMessages)) {
      const message = messages[`send-${type}`];
      assert.equal(message.payload.properties.type.const, type);
      assert.match(message.description, /Open to/);
      assert.equal(message.examples[0].payload.type, type);
    }
    for (const kind of ["game", "arena", "ladder", "waiting-room", "conversation"])
      assert.ok(
        Object.keys(messages).some(
          (name) =>
            name.endsWith(`change-of-${kind}`) ||
            name.endsWith(`change-of-an-${kind}`) ||
            name.endsWith(`change-of-a-${kind}`),
        ),
        kind,
      );
    for (const { messages: refs } of Object.values<{ messages: { $ref: string }[] }>(body.operations))
      for (const { $ref } of refs) assert.ok(messages[$ref.split("/").at(-1)!], $ref);
  });
});
