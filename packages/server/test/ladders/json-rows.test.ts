import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { jsonRows } from "../../src/app/ladders/import/json-rows.ts";

function read(text: string, rowsMax = 1_000): unknown[] | string {
  const rows: unknown[] = [];
  const refusal = jsonRows(text, rowsMax, (row) => rows.push(row) > 0);
  return refusal ? `${refusal.code}: ${refusal.message}` : rows;
}

/** The result of JSON.parse for the whole text: the elements, or undefined for another shape. */
function parsed(text: string): unknown[] | undefined {
  try {
    const body = JSON.parse(text);
    const matches = Object.keys(body).join() === "matches" ? body.matches : body;
    return Array.isArray(matches) && matches.length > 0 ? matches : undefined;
  } catch {
    return undefined;
  }
}

suite("rows of a JSON body", () => {
  test("[LM10] [LD5] they equal the result of JSON.parse for the whole body", () => {
    const spaces = fc.constantFrom("", " ", "\n", "\t\r\n");
    const property = fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), spaces, (matches, space) => {
      for (const body of [{ matches }, matches]) {
        const text = `${space}${JSON.stringify(body, null, space.length)}${space}`;
        assert.deepEqual(read(text), parsed(text), text);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("[LM10] [LM1] a damaged body is read or refused as by JSON.parse", () => {
    const damage = fc.record({ at: fc.nat(), cut: fc.nat(3), put: fc.constantFrom(...'[]{}",\\:1 ', "") });
    const property = fc.property(
      fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 3 }),
      damage,
      (matches, { at, cut, put }) => {
        const whole = JSON.stringify({ matches });
        const from = at % whole.length;
        const text = whole.slice(0, from) + put + whole.slice(from + cut);
        const found = read(text);
        if (typeof found === "string") assert.equal(parsed(text), undefined, text);
        else assert.deepEqual(found, parsed(text), text);
      },
    );
    fc.assert(property, { numRuns: 5_000 });
  });

  const refused: readonly (readonly [what: string, text: string, answer: RegExp])[] = [
    ["nothing", "", /body is not valid JSON/],
    ["null", "null", /body must be object/],
    ["an empty list", "[ ]", /matches must NOT have fewer than 1 items/],
    ["more after the list", "[1]]", /body is not valid JSON/],
    ["a text", '"playerA,playerB"', /body must be object/],
    ["no matches", "{}", /matches is missing/],
    ["none in the list", '{"matches":[ ]}', /matches must NOT have fewer than 1 items/],
    ["something else as matches", '{"matches":{}}', /matches must be array/],
    ["another field", '{"matches":[1],"more":2}', /more is not a field of this request/],
    [
      "matches twice",
      '{"matches":[1],"matches":[2]}',
      /body must be \{"matches": \[…\]\} or \[…\], and nothing else/,
    ],
    ["another bracket", '{"matches":[1}', /body is not valid JSON/],
    ["only a beginning", '{"matches":[1', /body is not valid JSON/],
    [
      "more than may be",
      `{"matches":[${"1,".repeat(1_000)}1]}`,
      /matches must NOT have more than 1000 items/,
    ],
    [
      "a long body of another shape",
      `{"rows":[${"1,".repeat(100_000)}1]}`,
      /body must be \{"matches": \[…\]\}/,
    ],
    ["a long row", `{"matches":["${"x".repeat(100_000)}"]}`, /Row 1 has more than 100000 characters/],
    ["rows without an end", `{"matches":${"[".repeat(1_000_000)}`, /Row 1 has more than 100000 characters/],
  ];
  for (const [what, text, answer] of refused) {
    test(`[LM10] [LM1] a body with ${what} is refused with a message`, () => {
      assert.match(String(read(text)), answer);
    });
  }

  test("[LM10] nothing after the last wanted row is read", () => {
    const rows: unknown[] = [];
    assert.equal(
      jsonRows('{"matches":[1,2,3, and so on', 10, (row) => rows.push(row) < 2),
      undefined,
    );
    assert.deepEqual(rows, [1, 2]);
  });
});
