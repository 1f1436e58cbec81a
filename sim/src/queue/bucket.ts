import type { Millis, QueueSettings } from "@openseat/kernel";
import { must } from "../rule.ts";

/** Tokens are counted in millionths: with a rate of three decimals, a whole number of them comes each millisecond. */
const token = 1_000_000;

type Terms = Pick<QueueSettings, "ratePerSecond" | "burst">;

/** The bucket at one moment, and all that was ever allowed and spent, for looking back over any window. */
export interface Bucket {
  readonly at: Millis;
  readonly millionths: number;
  /** Which terms held from when on, the oldest first. */
  readonly terms: readonly (Terms & { readonly from: Millis })[];
  /** When each token was spent. */
  readonly spent: readonly Millis[];
}

export function fullBucket(terms: Terms, at: Millis): Bucket {
  const { ratePerSecond, burst } = terms;
  return { at, millionths: burst * token, terms: [{ ratePerSecond, burst, from: at }], spent: [] };
}

const currentTerms = ({ terms }: Bucket): Terms => terms[terms.length - 1];

/** Millionths a millisecond: 0.333 tokens a second are 333. */
const perMs = (ratePerSecond: number) => Math.round(ratePerSecond * 1000);

/** AD2: what has come in since, up to the burst. A queue without a rate needs no tokens, and its bucket rests. */
export function bucketAt(bucket: Bucket, at: Millis): Bucket {
  const { ratePerSecond, burst } = currentTerms(bucket);
  if (ratePerSecond === null) return { ...bucket, at };
  const millionths = Math.min(burst * token, bucket.millionths + perMs(ratePerSecond) * (at - bucket.at));
  return { ...bucket, at, millionths };
}

/** Under other terms from now on: what has been saved up stays, up to the new burst. */
export function bucketUnder(bucket: Bucket, { ratePerSecond, burst }: Terms): Bucket {
  const millionths = Math.min(bucket.millionths, burst * token);
  return { ...bucket, millionths, terms: [...bucket.terms, { ratePerSecond, burst, from: bucket.at }] };
}

/** Whole tokens that are there. */
export function tokensIn(bucket: Bucket): number {
  return currentTerms(bucket).ratePerSecond === null
    ? Number.POSITIVE_INFINITY
    : Math.floor(bucket.millionths / token);
}

/** The first millisecond with a whole token in it. */
export function nextTokenAt(bucket: Bucket): Millis {
  const { ratePerSecond } = currentTerms(bucket);
  const missing = Math.max(0, token - bucket.millionths);
  return (bucket.at + Math.ceil(missing / perMs(ratePerSecond!))) as Millis;
}

/** Takes tokens out, and looks back: AD3 is about windows, and knows of no bucket. */
export function spend(bucket: Bucket, tokens: number): Bucket {
  if (tokens === 0) return bucket;
  const isFree = currentTerms(bucket).ratePerSecond === null;
  const spent = [...bucket.spent, ...Array.from({ length: tokens }, () => bucket.at)];
  if (isFree) return { ...bucket, spent };
  checkWindows({ ...bucket, spent });
  must(tokens <= tokensIn(bucket), "AD2", `${tokens} admitted with ${tokensIn(bucket)} tokens`);
  return { ...bucket, spent, millionths: bucket.millionths - tokens * token };
}

/** AD3, for every window that ends now and begins with an admission. */
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
    const sentence = `${admitted} admitted in ${at - from} ms, in which ${allowed / token} may be`;
    must(admitted * token <= allowed, "AD3", sentence);
  }
}
