import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/**
 * Reads the statements of a `.sql` file, each below a line `-- name: …`. A name in braces is replaced by the constant of that
 * name. The file is read once, when the module that needs it is loaded.
 */
export function statementsIn(
  file: URL,
  constants: Readonly<Record<string, string | number>> = {},
): (name: string) => string {
  const [, ...parts] = readFileSync(file, "utf8").split(/^-- name: (\w+)\n/m);
  const statements = new Map<string, string>();
  for (let index = 0; index < parts.length; index += 2)
    statements.set(parts[index], filled(parts[index + 1].trim(), constants));
  return (name) => {
    const statement = statements.get(name);
    // Build the message only when it is needed: this runs for every append.
    if (statement === undefined) assert.fail(`there is no statement ${name} in ${file}`);
    return statement;
  };
}

function filled(text: string, constants: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    assert(name in constants, `a statement names {${name}}, which was not given`);
    return String(constants[name]);
  });
}
