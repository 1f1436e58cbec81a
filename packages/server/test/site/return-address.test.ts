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
  test("allowed addresses, and addresses below them, are accepted", () => {
    const allowed = {
      "/shop": "/shop",
      "/shop/": "/shop/",
      "/shop/cart?x=1&y=%20z#end": "/shop/cart?x=1&y=%20z#end",
      "/shop/a/../b": "/shop/b",
      "/shop/a%2Fb": "/shop/a%2Fb",
      "/shop/schön": "/shop/sch%C3%B6n",
      "HTTPS://WAIT.EXAMPLE:443/shop": "/shop",
      "https://other.example/app/x?y": "https://other.example/app/x?y",
      "http://plain.example:8080": "http://plain.example:8080/",
    };
    for (const [wanted, address] of Object.entries(allowed)) assert.equal(addressOf(wanted), address);
  });

  test("any other address is refused, in every disguise", () => {
    const refused = [
      "/shopping",
      "/",
      "/shop/../admin",
      "/shop/%2e%2e/admin",
      "/shop/..%2fadmin",
      "/shop/..%5Cadmin",
      "https://evil.example/shop",
      "//evil.example/shop",
      "/.//evil.example/shop",
      "/shop/..//evil.example",
      "/\\evil.example/shop",
      "\\\\evil.example/shop",
      "/shop/\\evil",
      "https://wait.example\\@evil.example/shop",
      "https://wait.example@evil.example/shop",
      "https://ann:secret@other.example/app/",
      "https://wait.example.evil.example/shop",
      "https://evilwait.example/shop",
      "https://wait.example:8443/shop",
      "http://wait.example/shop",
      "JaVaScRiPt:alert(1)//shop",
      "data:text/html,<script>alert(1)</script>",
      "https:wait.example/shop",
      "https:/wait.example/shop",
      "shop",
      "",
      " /shop",
      "/shop/a b",
      "ht\ttps://evil.example/shop",
      "/\t/evil.example/shop",
      "/shop\r\nLocation: https://evil.example",
      "/shop\0",
      "/shop\x7f",
      "?x=/shop",
      "https://other.example/app",
      "https://other.example/application/",
      `/shop/${"x".repeat(2_000)}`,
      "https://[::1/shop",
      ["/shop", "/shop"],
      7,
      { href: "/shop" },
      null,
    ];
    for (const wanted of refused)
      assert.equal(addressOf(wanted), "return.not-allowed", JSON.stringify(wanted).slice(0, 80));
  });

  test("the default is the first allowed address", () => {
    assert.equal(addressOf(undefined), "/shop");
    assert.equal(
      addressOf(undefined, ["https://other.example/in?from=line"]),
      "https://other.example/in?from=line",
    );
  });

  test("without allowed addresses there is no default, and none can be requested", () => {
    assert.equal(addressOf(undefined, []), undefined);
    assert.equal(addressOf("/shop", []), "return.not-allowed");
  });

  test("the root allows everything on its own host, and nothing on others", () => {
    for (const path of ["/", "/shop", "/a/b?c#d"]) assert.equal(addressOf(path, ["/"]), path);
    for (const wanted of [
      "//evil.example",
      "/.//evil.example",
      "/a/..//evil.example",
      "https://evil.example/",
    ])
      assert.equal(addressOf(wanted, ["/"]), "return.not-allowed", wanted);
  });

  test("an invalid entry allows nothing", () => {
    assert.equal(
      addressOf("/shop", ["https://[::1", "//shop", "https://u:p@wait.example/shop"]),
      "return.not-allowed",
    );
  });

  test("an address on another origin is recognised as such", () => {
    const elsewhere = (wanted: string) => {
      const found = destinationOf(wanted, shop, here);
      return "value" in found && found.value?.isElsewhere;
    };
    assert.equal(elsewhere("/shop"), false);
    assert.equal(elsewhere("https://wait.example/shop"), false);
    assert.equal(elsewhere("https://other.example/app/"), true);
  });
});
