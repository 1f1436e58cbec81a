import { IdempotencyKey } from "@openseat/protocol";
import type { Static, TSchema } from "typebox";
import type { Identity, Role } from "../../app/identity.ts";
import { invalidInput } from "../../app/invalid-input.ts";
import { type Done, type Refused, type Result, refused, type SoonResult } from "../../app/result.ts";
import { coercingChecks, validator } from "../../app/validation.ts";
import type { Openseat as Running } from "../../boot/openseat.ts";
import type { UseCases } from "../../boot/use-cases.ts";
import { refusalFor, stopping } from "../../host/failures.ts";
import { type Actor, identityOf } from "../actor.ts";

/** What a call may say beside its input. */
export interface CallOptions {
  /** The idempotency key: a repeated call with the same key gets the first answer and has no further effect. */
  readonly key?: string | undefined;
  /** The address of the visitor for whom you call. Without it, limits per address do not apply. */
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** A value, or why there is none. Tell them apart by `refusal`. */
export type CallResult<Value> =
  | (Done<Value> & { readonly refusal?: undefined })
  | (Refused & { readonly value?: undefined; readonly replayed?: undefined });

export type Answered<Value> = Promise<CallResult<Value>>;

/** A page of a list. */
export interface PageQuery {
  /** The `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 50 by default, 500 at most. */
  readonly limit?: number | undefined;
}

export interface RoomListQuery extends PageQuery {
  /** By default, all rooms that have not ended. */
  readonly status?: string | undefined;
}

/** A value, the schema that it must fit, and its name in a refusal. */
export type Taken = readonly [schema: TSchema, value: unknown, name: string];

interface Call<Body extends TSchema> {
  readonly actor: Actor;
  /** Which roles may make this call. */
  readonly by: readonly Role[];
  readonly options?: CallOptions | undefined;
  readonly takes?: readonly Taken[];
  readonly body?: readonly [schema: Body, value: Static<Body>];
}

export const anyRole = ["person", "service", "operator"] as const;
export const onlyPersons = ["person"] as const;
export const onlyServices = ["service"] as const;
export const onlyOperators = ["operator"] as const;

interface Act<Body extends TSchema> {
  readonly who: Identity;
  readonly key: string | undefined;
  readonly body: Static<Body>;
}

/** Calls of use cases in this process, with the checks that routes make for requests. */
export class Calls {
  readonly #running: () => Promise<Running | undefined>;

  /** `running` resolves when the server has started; to undefined when it is over. */
  constructor(running: () => Promise<Running | undefined>) {
    this.#running = running;
  }

  /** Something that an actor does. */
  async act<Value, Body extends TSchema = TSchema>(
    { actor, by, options = {}, takes = [], body }: Call<Body>,
    work: (app: UseCases, act: Act<Body>) => SoonResult<Value>,
  ): Answered<Value> {
    const identity = identityOf(actor, by);
    if ("refusal" in identity) return identity;
    const { key } = options;
    const all: readonly Taken[] = key === undefined ? takes : [...takes, [IdempotencyKey, key, "key"]];
    const given = body && copyOf(body);
    if (given && "refusal" in given) return given;
    return this.read(all, (app) =>
      work(app, { who: identity.value, key, body: given?.value as Static<Body> }),
    );
  }

  /** Something that is the same for everybody. */
  async read<Value>(takes: readonly Taken[], work: (app: UseCases) => SoonResult<Value>): Answered<Value> {
    for (const [schema, value, name] of takes) {
      const refusal = checkOf(schema, name)(value);
      if (refusal) return refused(refusal);
    }
    const running = await this.#running();
    if (!running) return refused(stopping);
    try {
      return await work(running.useCases);
    } catch (error) {
      const refusal = refusalFor(error);
      if (refusal.code === "server.fault") running.noteFault(error, "a call in this process failed");
      return refused(refusal);
    }
  }

  /** A page of something: `query` with the defaults of its schema. */
  async page<Value, Query extends TSchema>(
    takes: readonly Taken[],
    [schema, query]: readonly [schema: Query, query: unknown],
    work: (app: UseCases, query: Static<Query>) => SoonResult<Value>,
  ): Answered<Value> {
    const checked = copyOf([schema, query ?? {}], pageCheckOf(schema));
    return "refusal" in checked ? checked : this.read(takes, (app) => work(app, checked.value));
  }
}

type Check = ReturnType<typeof validator>;

const checks = new WeakMap<TSchema, Map<string, Check>>();

function checkOf(schema: TSchema, name: string): Check {
  const known = checks.get(schema) ?? new Map<string, Check>();
  checks.set(schema, known);
  const check = known.get(name) ?? validator(schema, name);
  known.set(name, check);
  return check;
}

const pageChecks = new WeakMap<TSchema, Check>();

function pageCheckOf(schema: TSchema): Check {
  const check = pageChecks.get(schema) ?? validator(schema, "query", coercingChecks);
  pageChecks.set(schema, check);
  return check;
}

/** As a request would carry it. The caller may change its object later, and a check fills in defaults. */
function copyOf<Body extends TSchema>(
  [schema, value]: readonly [schema: Body, value: unknown],
  check = checkOf(schema, "body"),
): Result<Static<Body>> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value ?? null));
  } catch {
    return notData;
  }
  const refusal = check(copy);
  return refusal ? refused(refusal) : { value: copy as Static<Body> };
}

const notData: Refused = refused(invalidInput("body", "body", "must be data that fits into JSON"));
