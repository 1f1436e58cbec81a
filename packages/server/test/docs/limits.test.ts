import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readRepoFile, repoFiles, tableRows } from "./reference.ts";

/** `const asksMax = 65_536;`, `asksMax: 65_536,`: a name that ends in Max, with a number written out. */
const limitPattern = /\b(\w+Max)\s*[:=]\s*([\d_][\d_ *<-]*)[,;}]/g;

/** The value of `16 * 1024`, `1 << 20`, `2 ** 31 - 1` or `65_536`. */
function amountOf(expression: string): number {
  const text = expression.replaceAll("_", "").trim();
  const [power, minus = "0"] = text.split(" - ");
  if (power.includes("**"))
    return Number(power.split("**")[0]) ** Number(power.split("**")[1]) - Number(minus);
  if (text.includes("<<")) return Number(text.split("<<")[0]) * 2 ** Number(text.split("<<")[1]);
  return text.split("*").reduce((product, factor) => product * Number(factor), 1);
}

describe("limits", () => {
  const written = tableRows("docs/reference/limits.md", ["Limit", "Value", "Where", "At it"]);

  for (const [name, value, where] of written) {
    test(`${name} is what docs/reference/limits.md says it is`, () => {
      const pattern = new RegExp(`\\b${name}\\s*[:=]\\s*([\\d_][\\d_ *<-]*)`);
      const found = pattern.exec(readRepoFile(`packages/${where}`));
      assert.ok(found, `${where} has no ${name} with a number`);
      assert.equal(amountOf(found[1]), Number(value.split(" ")[0].replaceAll(",", "")));
    });
  }

  test("docs/reference/limits.md names every limit that the source writes out", () => {
    const named = new Set(written.map(([name, , where]) => `${where} ${name}`));
    const missing = repoFiles("packages/{kernel,server}/src/**/*.ts")
      .filter((path) => !path.includes("/transport/http/docs/") && !path.endsWith("config/settings.ts"))
      .flatMap((path) =>
        [...readRepoFile(path).matchAll(limitPattern)].map(([, name]) => `${path.slice(9)} ${name}`),
      )
      .filter((limit) => !named.has(limit));
    assert.deepEqual(missing, []);
  });
});
