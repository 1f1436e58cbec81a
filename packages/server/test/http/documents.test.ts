import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { PagesByOrigin } from "../../src/transport/http/docs/pages-by-origin.ts";
import { documentOf } from "../../src/transport/http/documents.ts";
import { range } from "../support/http.ts";
import { serverOfSuite } from "../support/server.ts";

describe("large documents", () => {
  const { server } = serverOfSuite([]);

  for (const [path, type] of [
    ["/docs", "text/html; charset=utf-8"],
    ["/openapi.json", "application/json; charset=utf-8"],
  ]) {
    test(`[LM5] ${path} comes compressed to whoever takes that, and is the same document`, async () => {
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

    test(`HEAD of ${path} says how long it is`, async () => {
      const { text } = await server.client.get(path);
      const head = await server.client.call(path, { method: "HEAD" });
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(Number(head.headers["content-length"]), Buffer.byteLength(text));
    });
  }
});

describe("pages by origin", () => {
  let now = 0;
  let made: string[] = [];
  const newPages = () => {
    now = 0;
    made = [];
    const make = (origin: string) => {
      made.push(origin);
      return documentOf("text/plain", origin);
    };
    return new PagesByOrigin(make, "usual", () => now);
  };
  const textOf = ({ body }: { body: Buffer }) => body.toString();

  test("[LM5] a page is made once, and its bytes are shared by all its readers", () => {
    const pages = newPages();
    assert.equal(pages.of("a"), pages.of("a"));
    assert.equal(pages.of("usual").body, pages.of("usual").body);
    assert.deepEqual(made, ["a", "usual"]);
  });

  test("[LM5] of many origins a few have pages of their own, the others that of the usual one", () => {
    const pages = newPages();
    const texts = range(1_000).map((index) => textOf(pages.of(`o${index}`)));
    assert.deepEqual(new Set(texts).size, 9);
    assert.equal(texts[8], "usual");
    assert.equal(made.length, 9);
    assert.equal(textOf(pages.of("o3")), "o3");
  });

  test("[LM5] a page that nobody has asked for in a minute makes room", () => {
    const pages = newPages();
    for (const index of range(8)) pages.of(`o${index}`);
    now = 59_000;
    assert.equal(textOf(pages.of("new")), "usual");
    pages.of("o0");
    now = 61_000;
    assert.equal(textOf(pages.of("new")), "new");
    assert.equal(textOf(pages.of("o0")), "o0");
    assert.deepEqual(made.slice(8), ["usual", "new"]);
  });
});
