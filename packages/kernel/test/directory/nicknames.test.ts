import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { folded, nicknameFrom } from "@openseat/kernel";
import fc from "fast-check";

/** The names in one row are equivalent. */
const sames: readonly (readonly string[])[] = [
  ["Bob", "bob", "BOB", "bOB", "Ｂｏｂ", "ｂＯＢ", "𝐁𝐨𝐛", "bo\u200bb", "b\u034fob", "bob\ufe0f", "\u3164bob"],
  ["Straße", "STRASSE", "strasse", "STRAẞE", "straſſe", "Strasſe"],
  ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ", "Σι\u0301συφος"],
  ["ﬁx", "fix", "FIX", "ﬁX", "ＦＩＸ"],
  ["Élan", "élan", "E\u0301LAN", "e\u0301lan", "e\u200d\u0301lan"],
  ["Ꭰꭱꭲ", "ᎠᎡᎢ", "ꭰꭱꭲ"],
  ["Kelvin", "\u212aelvin", "KELVIN"],
  ["Ångström", "\u212bngström", "A\u030angstro\u0308m", "ÅNGSTRÖM"],
  ["Ilk", "ilk", "ILK", "ılk"],
  ["İlk", "i\u0307lk", "I\u0307LK"],
  ["Ǆurđa", "ǆURĐA", "ǅurđa", "DŽurđa"],
  ["և1", "ԵՒ1", "եւ1"],
  ["ᾳx", "ᾼX", "αιx", "ΑΙX"],
  ["Ⅷth", "viiith", "VIIITH"],
  ["각시", "\u1100\u1161\u11a8\u1109\u1175"],
  ["𐐀𐐁", "𐐨𐐩"],
];

describe("equal names", () => {
  test("[NM1] in every case and encoding", () => {
    for (const names of sames)
      for (const name of names) assert.equal(folded(name), folded(names[0]), `${name} and ${names[0]}`);
  });

  test("[NM1] other names are different", () => {
    const firsts = sames.map(([first]) => first);
    const near = ["Bobo", "Bob1", "Bob_", "Bob-", "Böb", "Вов", "Strase", "Elan", "Angstrom", "Sisyphos"];
    const all = [...firsts, ...near];
    assert.equal(new Set(all.map(folded)).size, all.length);
  });

  test("[NM1] for every letter: folding is idempotent, and all its cases and forms are equal", () => {
    let tried = 0;
    for (let code = 0; code <= 0x10_ffff; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const name = `a${String.fromCodePoint(code)}b`;
      const forms = [
        ...[name.toUpperCase(), name.toLowerCase(), name.normalize("NFD"), name.normalize("NFKD")],
        ...[name.toUpperCase().toLowerCase(), name.toLowerCase().toUpperCase()],
      ].filter((form) => form !== name);
      // Folding leaves characters without case and without other forms unchanged.
      if (forms.length === 0 || !/[\p{L}\p{N}\p{M}]/u.test(String.fromCodePoint(code))) continue;
      tried++;
      const fold = folded(name);
      assert.equal(folded(fold), fold, `U+${code.toString(16)} folded again`);
      for (const form of forms) assert.equal(folded(form), fold, `U+${code.toString(16)} as ${form}`);
    }
    assert.ok(tried > 10_000, `${tried} letters`);
  });

  test("[NM1] for any text: folding is idempotent, and its cases and forms are equal", () => {
    const letters = fc.string({
      unit: fc.constantFrom(..."aßẞſsIiıİΣσςάΑÅå\u0301\u030a\u0307\u0345ﬁﬀµμꭰᎠǅ각\u1100\u1161Kθϑ1½²_-"),
      maxLength: 12,
    });
    const property = fc.property(fc.oneof(letters, fc.string({ unit: "grapheme" })), (text) => {
      const name = nicknameFrom(text);
      if (name === undefined) return;
      const fold = folded(name);
      assert.equal(folded(fold), fold);
      assert.equal(folded(text), fold);
      const apart = name.normalize("NFD");
      for (const form of [apart, apart.toUpperCase(), apart.toLowerCase(), name.normalize("NFKD")])
        assert.equal(folded(form), fold, form);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

/** Letters of many kinds, and any other characters. */
const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."aZ0_-é\u0301ßאש\u05c1سह\u093f李각𝒜\u200b\u3164 .😀"), maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 4 }),
);

describe("valid nicknames", () => {
  test("[NM2] 2 to 20 letters, digits, _ or -, of any script", () => {
    const plain = ["ab", "a1", "11", "Bob", "bob_1-x", "_a", "-a-", "a".repeat(20)];
    const scripts = "Žižek 李雷 שָׁלוֹם سارة हिन्दी ไทย Ñandú 각시 ᎠᎡ ١٢ Ⅷa ßß".split(" ");
    for (const name of [...plain, ...scripts].map((each) => each.normalize("NFC")))
      assert.equal(nicknameFrom(name), name);
  });

  test("[NM2] characters are counted, not how they are encoded", () => {
    assert.equal(nicknameFrom("𝒜".repeat(20)), "𝒜".repeat(20));
    assert.equal(nicknameFrom("𝒜".repeat(21)), undefined);
    assert.equal(nicknameFrom("e\u0301".repeat(20)), "é".repeat(20));
    assert.equal(nicknameFrom("e\u0301".repeat(21)), undefined);
    assert.equal(nicknameFrom(`${"\u200b".repeat(50)}ab`), "ab");
    assert.equal(nicknameFrom("a".repeat(21)), undefined);
    assert.equal(nicknameFrom("𝒜"), undefined);
    assert.equal(nicknameFrom("e\u0301"), undefined);
  });

  test("[NM2] not too short, not only dashes, and no other characters", () => {
    const short = ["", " ", "a", "é", "1", "_", "\u3164\u3164", "\u200b\u200d", "a\u200b"];
    const empty = ["__", "--", "-_-", "_".repeat(20)];
    const marks = ["a b", "a\nb", "a\u00a0b", "a\u0000b", ..."a.b a@b a/b a'b a+b <b> a–b a#".split(" ")];
    const odd = [
      "\u0301ab",
      "ab\u2800",
      "a\ud83db",
      "\udc00ab",
      "a\ufffdb",
      "½ x",
      ..."😀😀 a😀 a€ ¨a".split(" "),
    ];
    for (const name of [...short, ...empty, ...marks, ...odd])
      assert.equal(nicknameFrom(name), undefined, JSON.stringify(name));
  });

  test("[NM2] at most three marks per letter, because more would draw over other lines", () => {
    assert.notEqual(nicknameFrom("ab\u0316\u0317\u0318"), undefined);
    assert.equal(nicknameFrom("ab\u0316\u0317\u0318\u0319"), undefined);
    assert.equal(nicknameFrom(`a${"\u0300".repeat(15)}`), undefined);
  });

  test("[NM1] is shown as typed, normalised and without invisible characters", () => {
    for (const name of sames.flat()) {
      const shown = nicknameFrom(name);
      assert.equal(shown, name.replace(/\u200b|\u200d|\u034f|\ufe0f|\u3164/g, "").normalize("NFC"));
      assert.equal(nicknameFrom(`  ${name}\n`), shown);
    }
  });

  test("[NM1][NM2] any text is either invalid or shown unchanged", () => {
    const property = fc.property(anyText, (text) => {
      const name = nicknameFrom(text);
      if (name === undefined) return;
      assert.equal(nicknameFrom(name), name);
      assert.equal(name.normalize("NFC"), name);
      assert.match(name, /^[\p{L}\p{N}\p{M}_-]{2,20}$/u);
      assert.doesNotMatch(name, /[\s\p{C}\p{Default_Ignorable_Code_Point}]/u);
      assert.ok(folded(name).length > 0);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
