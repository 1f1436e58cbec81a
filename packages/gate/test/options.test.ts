import assert from "node:assert/strict";
import { test } from "node:test";
import { type GateOptions, openseatGate } from "../src/index.ts";

const good: GateOptions = {
  openseat: "https://wait.test",
  queue: "shop",
  serviceKey: "service_x",
  site: "https://shop.test",
};

const refused = (options: unknown, problem: RegExp) =>
  assert.throws(() => openseatGate(options as GateOptions), { name: "TypeError", message: problem });

test("a gate starts with four options, and without a call", () => {
  openseatGate({ ...good, fetch: () => assert.fail("it called Openseat") });
});

test("an undefined option has its default", () => {
  const more = { issuer: undefined, bypass: undefined, check: undefined, timeoutSeconds: undefined };
  openseatGate({ ...good, ...more });
});

test("one error names everything that is missing", () => {
  for (const options of [{}, undefined])
    refused(options, /openseat is missing.*site is missing.*queue is missing.*serviceKey is missing/);
  refused({ ...good, serviceKey: "" }, /serviceKey is missing: it is Openseat's service key/);
});

test("an unknown option is named", () => {
  refused({ ...good, byPass: [] }, /There is no option byPass\./);
});

for (const [name, values] of Object.entries({
  openseat: ["wait.test", "ftp://wait.test", "https://a:b@wait.test", "https://wait.test/?x", 7, "https://"],
  site: ["shop.test", "https://shop.test/#x", "https://shop.test/?", "//shop.test", " https://shop.test"],
  queue: ["", "a b", "../x", "x".repeat(65), 7],
  serviceKey: ["with space", "line\nbreak", 7],
  openseatInternal: ["openseat:8080", ""],
  issuer: ["", 7],
  check: ["never", true],
  whenAway: ["Open", false],
  isApiCall: ["yes"],
  cookieName: ["", "a b", "a=b", "a;b"],
  cookiePath: ["shop", "/a; Domain=x", "/a b"],
  timeoutSeconds: [0, -1, Number.NaN, "3", 61],
  heartbeatSeconds: [-1, "10"],
  onError: [true],
  fetch: ["fetch"],
  bypass: ["/healthz", ["healthz"], ["/a*"], ["/a/*/b"], ["/a/../b"], ["/a?b"], [7], ["/%61"], [""]],
}))
  test(`${name} is checked`, () => {
    for (const value of values)
      refused({ ...good, [name]: value }, new RegExp(`${name} (is invalid|is missing|has)`));
  });
