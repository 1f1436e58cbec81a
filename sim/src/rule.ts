/** A rule of docs/SPEC.md is broken. */
export class RuleBroken extends Error {
  override readonly name = "RuleBroken";
  readonly rule: string;

  constructor(rule: string, sentence: string) {
    super(sentence);
    this.rule = rule;
  }
}

export function must(condition: boolean, rule: string, sentence: string): asserts condition {
  if (!condition) throw new RuleBroken(rule, sentence);
}
