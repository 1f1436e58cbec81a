import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { destinationOf } from "../../src/transport/site/return-address.ts";

const here = "https://wait.example";
const shop = ["/shop", "https://other.example/app/", "http://plain.example:8080"];

function addressOf(wanted: unknown, allowed: readonly string[] = shop): string | undefined {
  const found = destinationOf(wanted, allowed, here);
  return "refusal" in found ? found.refusal.code : found.value?.address;
}

suite("the address to return to", () => {
  const allowed: Record<string, string> = {
    "/shop": "/shop",
    "/shop/": "/shop/",
    "/shop?x=1": "/shop?x=1",
    "/shop#top": "/shop#top",
    "/shop/cart?x=1&y=%20z#end": "/shop/cart?x=1&y=%20z#end",
    "/shop/a/../b": "/shop/b",
    "/shop/a%2Fb": "/shop/a%2Fb",
    "/shop/schön": "/shop/sch%C3%B6n",
    "https://wait.example/shop/x": "/shop/x",
    "HTTPS://WAIT.EXAMPLE:443/shop": "/shop",
    "https://other.example/app/": "https://other.example/app/",
    "https://other.example/app/x?y": "https://other.example/app/x?y",
    "http://plain.example:8080/anything": "http://plain.example:8080/anything",
    "http://plain.example:8080": "http://plain.example:8080/",
  };
  for (const [wanted, address] of Object.entries(allowed))
    test(`${wanted} is one of those allowed, or below one`, () => {
      assert.equal(addressOf(wanted), address);
    });

  const refused = {
    "beside the entry": "/shopping",
    "above the entry": "/",
    "another path": "/admin",
    "walks out of it": "/shop/../admin",
    "walks out of it, in disguise": "/shop/%2e%2e/admin",
    "walks out of it, in another disguise": "/shop/..%2fadmin",
    "walks out of it, with a backslash in disguise": "/shop/..%5Cadmin",
    "another host": "https://evil.example/shop",
    "another host without a scheme": "//evil.example/shop",
    "another host after many slashes": "////evil.example/shop",
    "another host behind a dot": "/.//evil.example/shop",
    "another host behind a walk": "/shop/..//evil.example",
    backslashes: "/\\evil.example/shop",
    "two backslashes": "\\\\evil.example/shop",
    "a backslash within": "/shop/\\evil",
    "a backslash after a host": "https://wait.example\\@evil.example/shop",
    "a host with ours as a name": "https://wait.example@evil.example/shop",
    "a host with ours as name and password": "https://wait.example:443@evil.example/shop",
    "a name and a password for ours": "https://ann:secret@other.example/app/",
    "a host that begins like ours": "https://wait.example.evil.example/shop",
    "a host that ends like ours": "https://evilwait.example/shop",
    "another port": "https://wait.example:8443/shop",
    "the other scheme": "http://wait.example/shop",
    "a scheme that runs": "javascript:alert(1)//shop",
    "a scheme that runs, in capitals": "JaVaScRiPt:alert(1)",
    data: "data:text/html,<script>alert(1)</script>",
    "a file": "file:///shop",
    "a scheme without slashes": "https:wait.example/shop",
    "a scheme with one slash": "https:/wait.example/shop",
    "no path": "shop",
    "a dot": "./shop",
    nothing: "",
    "a space before": " /shop",
    "a space within": "/shop/a b",
    "a tab within the scheme": "ht\ttps://evil.example/shop",
    "a tab between slashes": "/\t/evil.example/shop",
    "a line feed": "/shop\nSet-Cookie: a=b",
    "a carriage return and a line feed": "/shop\r\nLocation: https://evil.example",
    "a null": "/shop\0",
    "a delete": "/shop\x7f",
    "a query alone": "?x=/shop",
    "a fragment alone": "#/shop",
    "the entry without its slash": "https://other.example/app",
    "beside the entry elsewhere": "https://other.example/application/",
    "too long": `/shop/${"x".repeat(2_000)}`,
    "a broken host": "https://[::1/shop",
    "a host of nothing": "https:///shop",
    "a list": ["/shop", "/shop"],
    "a number": 7,
    "an object": { href: "/shop" },
    null: null,
  };
  for (const [what, wanted] of Object.entries(refused))
    test(`${what} is refused`, () => assert.equal(addressOf(wanted), "return.not-allowed"));

  test("without one, it is the first of those allowed", () => {
    assert.equal(addressOf(undefined), "/shop");
    assert.equal(
      addressOf(undefined, ["https://other.example/in?from=line"]),
      "https://other.example/in?from=line",
    );
  });

  test("with none allowed there is none, and none can be asked for", () => {
    assert.equal(addressOf(undefined, []), undefined);
    assert.equal(addressOf("/shop", []), "return.not-allowed");
  });

  test("the root allows all of its own host, and nothing of others'", () => {
    for (const path of ["/", "/shop", "/a/b?c#d"]) assert.equal(addressOf(path, ["/"]), path);
    for (const wanted of [
      "//evil.example",
      "/.//evil.example",
      "/a/..//evil.example",
      "https://evil.example/",
    ])
      assert.equal(addressOf(wanted, ["/"]), "return.not-allowed", wanted);
  });

  test("an entry that cannot be understood allows nothing", () => {
    assert.equal(
      addressOf("/shop", ["https://[::1", "//shop", "https://u:p@wait.example/shop"]),
      "return.not-allowed",
    );
  });

  test("what leads to another origin is known as such", () => {
    const elsewhere = (wanted: string) => {
      const found = destinationOf(wanted, shop, here);
      return "value" in found && found.value?.isElsewhere;
    };
    assert.equal(elsewhere("/shop"), false);
    assert.equal(elsewhere("https://wait.example/shop"), false);
    assert.equal(elsewhere("https://other.example/app/"), true);
  });
});
