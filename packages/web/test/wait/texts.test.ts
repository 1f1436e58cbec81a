import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { languageOf } from "../../src/index.ts";
import { goneReasons } from "../../src/wait/browser/state.ts";
import { languages } from "../../src/wait/texts/languages.ts";
import { errorKinds, moveProblems } from "../../src/wait/texts/texts.ts";

/** Every text by its path: `wait.leave` → "Leave the line". */
function flat(value: object, prefix = ""): Map<string, string> {
  const entries = Object.entries(value).flatMap(([key, inner]): (readonly [string, string])[] =>
    typeof inner === "string" ? [[prefix + key, inner]] : [...flat(inner, `${prefix}${key}.`)],
  );
  return new Map(entries);
}

/** The placeholders in a text, without duplicates, because a plural form may leave out its number. */
function marks(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g))].sort();
}

describe("texts", () => {
  const english = flat(languages.en);

  for (const [name, texts] of Object.entries(languages)) {
    const own = flat(texts);

    test(`${name} has the same texts as English`, () => {
      assert.deepEqual([...own.keys()].sort(), [...english.keys()].sort());
      for (const [path, text] of own) assert.notEqual(text.trim(), "", path);
    });

    test(`${name} has the same placeholders as English`, () => {
      for (const [path, text] of own) assert.deepEqual(marks(text), marks(english.get(path) ?? ""), path);
    });

    test(`${name} has texts for every reason, problem and error`, () => {
      assert.deepEqual(Object.keys(texts.live.gone).sort(), [...goneReasons].sort());
      assert.deepEqual(Object.keys(texts.errors).sort(), [...errorKinds].sort());
      assert.deepEqual(Object.keys(texts.move.problems).sort(), [...moveProblems].sort());
      assert.equal(texts.live.language, name);
    });

    test(`${name} has every plural form of its language`, () => {
      const forms = new Intl.PluralRules(name).resolvedOptions().pluralCategories.sort();
      const { ahead, behind, happening, estimate } = texts.live;
      for (const plural of [ahead, behind, happening.letIn, estimate.minutes, estimate.hours])
        assert.deepEqual(Object.keys(plural).sort(), forms);
    });
  }

  test("no language is a copy of another", () => {
    const german = flat(languages.de);
    const same = [...english].filter(([path, text]) => german.get(path) === text).map(([path]) => path);
    assert.deepEqual(same.sort(), [
      "direction",
      "live.documentTitle.gone",
      "live.documentTitle.waiting",
      "move.code",
    ]);
  });
});

test("the language is the first supported one that the browser asks for", () => {
  const cases: [string | undefined, string][] = [
    [undefined, "en"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["en-GB,en;q=0.9,de;q=0.8", "en"],
    ["fr-FR,fr;q=0.9,de;q=0.5,en;q=0.3", "de"],
    ["en;q=0.2, DE;q=0.7", "de"],
    ["de;q=nonsense, en", "en"],
    ["constructor, __proto__, de;q=0.1", "de"],
    [`${"x,".repeat(10_000)}de`, "en"],
  ];
  for (const [header, language] of cases)
    assert.equal(languageOf(header), language, `${header?.slice(0, 40)}`);
});
