import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../src/root.ts";

export interface Instruction {
  readonly name: string;
  /** `--name=value` before the rest. */
  readonly flags: readonly { readonly name: string; readonly value: string }[];
  readonly rest: string;
}

export interface Stage {
  /** `node:26.10.0-slim`. */
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages of the repository's Dockerfile. */
export function readDockerfile(): readonly Stage[] {
  const text = readFileSync(join(root, "Dockerfile"), "utf8").replaceAll(/^#.*\n/gm, "");
  const lines = text.replaceAll(/\\\n\s*/g, "").split("\n");
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines.filter((each) => each.trim() !== "")) {
    const instruction = instructionIn(line);
    if (instruction.name === "FROM") {
      const [image, , name] = instruction.rest.split(" ");
      stages.push({ image, name, instructions: [] });
    } else stages.at(-1)!.instructions.push(instruction);
  }
  return stages;
}

function instructionIn(line: string): Instruction {
  const [, name, flags, rest] = /^([A-Z]+)((?: +--[a-z-]+=\S+)*) +(.*)$/.exec(line)!;
  return {
    name,
    flags: [...flags.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, flag, value]) => ({ name: flag, value })),
    rest,
  };
}

export function instructionsOf(stage: Stage, name: string): readonly Instruction[] {
  return stage.instructions.filter((each) => each.name === name);
}

/** `NAME=value OTHER=value`, as in `ENV`. */
export function assignmentsIn(text: string, separator: RegExp = /\s+/): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(separator).map((each) => {
      const at = each.indexOf("=");
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}
