import type { Millis, QueueSettings } from "@openseat/kernel";
import { must } from "../rule.ts";

/** Tokens are counted in millionths, so that a rate with three decimals adds a whole number per millisecond. */
const token = 1_000_000;

type Terms = Pick<QueueSettings, "ratePerSecond" | "burst">;

/** The bucket at one moment, with all terms and spent tokens, so that any past window can be checked. */
export interface Bucket {
  readonly at: Millis;
  readonly millionths: number;
  /** The terms over time, oldest first. */
  readonly terms: readonly (Terms & { readonly from: Millis })[];
  /** The time each token was spent. */
  readonly spent: readonly Millis[];
}

export function fullBucket(terms: Terms, at: Millis): Bucket {
  const { ratePerSecond, burst } = terms;
  return { at, millionths: burst * token, terms: [{ ratePerSecond, burst, from: at }], spent: [] };
}

const currentTerms = ({ terms }: Bucket): Terms => terms[terms.length - 1];

/** Millionths per millisecond: 0.333 tokens per second are 333. */
const perMs = (ratePerSecond: number) => Math.round(ratePerSecond * 1000);

/**
 * AD2: adds the tokens since then, up to the burst. A queue without a rate needs no tokens, and its bucket does not
 * fill.
 */
export function bucketAt(bucket: Bucket, at: Millis): Bucket {
  const { ratePerSecond, burst } = currentTerms(bucket);
  if (ratePerSecond === null) return { ...bucket, at };
  const millionths = Math.min(burst * token, bucket.millionths + perMs(ratePerSecond) * (at - bucket.at));
  return { ...bucket, at, millionths };
}

/** Applies new terms: saved tokens stay, up to the new burst. */
export function bucketUnder(bucket: Bucket, { ratePerSecond, burst }: Terms): Bucket {
  const millionths = Math.min(bucket.millionths, burst * token);
  return { ...bucket, millionths, terms: [...bucket.terms, { ratePerSecond, burst, from: bucket.at }] };
}

/** Whole tokens available. */
export function tokensIn(bucket: Bucket): number {
  return currentTerms(bucket).ratePerSecond === null
    ? Number.POSITIVE_INFINITY
    : Math.floor(bucket.millionths / token);
}

/** The first millisecond with a whole token. */
export function nextTokenAt(bucket: Bucket): Millis {
  const { ratePerSecond } = currentTerms(bucket);
  const missing = Math.max(0, token - bucket.millionths);
  return (bucket.at + Math.ceil(missing / perMs(ratePerSecond!))) as Millis;
}

/** Spends tokens and checks past windows: AD3 limits windows and does not mention a bucket. */
export function spend(bucket: Bucket, tokens: number): Bucket {
  if (tokens === 0) return bucket;
  const isFree = currentTerms(bucket).ratePerSecond === null;
  const spent = [...bucket.spent, ...Array.from({ length: tokens }, () => bucket.at)];
  if (isFree) return { ...bucket, spent };
  checkWindows({ ...bucket, spent });
  must(tokens <= tokensIn(bucket), "AD2", `${tokens} admitted with ${tokensIn(bucket)} tokens`);
  return { ...bucket, spent, millionths: bucket.millionths - tokens * token };
}

/** AD3, for every window that starts with an admission and ends now. */
function checkWindows({ at, terms, spent }: Bucket): void {
  for (const [index, from] of spent.entries()) {
    const held = terms.filter((_, number) => number === terms.length - 1 || terms[number + 1].from >= from);
    if (held.some(({ ratePerSecond }) => ratePerSecond === null)) continue;
    let allowed = token * Math.max(...held.map(({ burst }) => burst));
    for (const [number, { ratePerSecond, from: since }] of held.entries()) {
      const until = held[number + 1]?.from ?? at;
      allowed += perMs(ratePerSecond!) * Math.max(0, until - Math.max(since, from));
    }
    const admitted = spent.length - index;
    const sentence = `${admitted} admitted in ${at - from} ms, in which ${allowed / token} are allowed`;
    must(admitted * token <= allowed, "AD3", sentence);
  }
}
