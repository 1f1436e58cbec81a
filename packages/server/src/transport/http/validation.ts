import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import type { Refusal } from "@openseat/kernel";
import type { FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import { invalidInput } from "../../app/invalid-input.ts";
import { coercingChecks, validator } from "../../app/validation.ts";

const partNames: Record<string, string> = {
  body: "body",
  params: "path",
  querystring: "query",
  headers: "header",
};

export const compileSchema: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const isBody = httpPart === "body";
  const part = partNames[httpPart ?? "body"] ?? "body";
  const faultIn = validator(schema, part, isBody ? undefined : coercingChecks);
  const numbers = isBody ? [] : numbersIn(schema);
  return (value) => {
    const fault = faultIn(value);
    if (fault) return { error: new InvalidInput(fault) };
    // "1e999" becomes Infinity, which passes the check of every bound.
    const endless = numbers.find((name) => value[name] === Number.POSITIVE_INFINITY);
    return endless ? { error: new InvalidInput(invalidInput(part, endless, "is too large")) } : { value };
  };
};

function numbersIn({ properties = {} }: { properties?: Record<string, { type?: unknown }> }): string[] {
  return Object.keys(properties).filter((name) => properties[name].type === "integer");
}

/** LM1: input that violates its schema, with the field named. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

const compile = SerializerSelector()();

/** Fastify's own serializers, each compiled on first use, because compiling all of them delays the start. */
export const serializerOf: FastifySerializerCompiler<unknown> = (route) => {
  let serialize: ((data: unknown) => string) | undefined;
  return (data) => {
    serialize ??= compile({ ...route, httpStatus: route.httpStatus ?? "200" });
    return serialize(data);
  };
};
