import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { serverOfSuite } from "../support/server.ts";

describe("large documents", () => {
  const { server } = serverOfSuite([]);

  for (const [path, type] of [
    ["/asyncapi.json", "application/json; charset=utf-8"],
    ["/openapi.json", "application/json; charset=utf-8"],
  ]) {
    test(`[LM5] ${path} is compressed for clients that accept it, with the same content`, async () => {
      const get = (encoding: string) =>
        server.app.inject({ url: path, headers: { "accept-encoding": encoding } });
      const [plain, zipped] = [await get("identity"), await get("br, gzip")];
      for (const { headers } of [plain, zipped]) {
        assert.equal(headers["content-type"], type);
        assert.equal(headers.vary, "accept-encoding");
        assert.equal(headers.etag, plain.headers.etag);
      }
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(zipped.headers["content-encoding"], "gzip");
      assert.equal(gunzipSync(zipped.rawPayload).compare(plain.rawPayload), 0);
    });

    test(`HEAD of ${path} has its length`, async () => {
      const { text } = await server.client.get(path);
      const head = await server.client.call(path, { method: "HEAD" });
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(Number(head.headers["content-length"]), Buffer.byteLength(text));
    });
  }
});
