import Type, { type TProperties, type TSchema, type TSchemaOptions } from "typebox";

/** Refuses unknown fields. */
export function strictObject<Fields extends TProperties>(
  fields: Fields,
  options: { readonly description?: string } = {},
) {
  return Type.Object(fields, { ...options, additionalProperties: false });
}

/** Any of the fields, but at least one. */
export function changesOf<Fields extends TProperties>(fields: Fields) {
  return Type.Partial(Type.Object(fields), { additionalProperties: false, minProperties: 1 });
}

/** The same fields, each optional. */
export function optional<Fields extends TProperties>(fields: Fields) {
  return Type.Partial(Type.Object(fields)).properties;
}

export function orNull<Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options);
}

export function shortText(maxLength: number, more = "") {
  return Type.String({
    maxLength,
    pattern: "^(?=.*\\S)[^\\p{Cc}]+$",
    description: `1 to ${maxLength} characters, not all of them spaces.${more}`,
  });
}

export const day = 86_400;

export function seconds(minimum: number, maximum: number, options: TSchemaOptions = {}) {
  return Type.Number({ minimum, maximum, multipleOf: 1, ...options });
}

/** Part of a path. Generated ids have 20 characters; the bound leaves room for chosen ids. */
export const Id = Type.String({
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  description: "1 to 64 letters, digits, `_` or `-`.",
});

/** For a new room. */
export const ChosenId = Type.String({
  ...Id,
  description: "1 to 64 letters, digits, `_` or `-`. Only services and operators choose one.",
});

export const IdempotencyKey = Type.String({
  pattern: "^[\\x20-\\x7e]{1,255}$",
  description: "1 to 255 printable characters. A repeated request with the same key gets the same answer.",
});

export const Cursor = Type.String({
  pattern: "^[0-9]{1,15}$",
  description: "`nextCursor` of the previous page.",
});

export const NextCursor = orNull(Type.String(), {
  description: "The `cursor` of the next page; null on the last.",
});

export const Limit = Type.Integer({
  minimum: 1,
  maximum: 500,
  default: 50,
  description: "Maximum number of items per page.",
});

export const page = { cursor: Type.Optional(Cursor), limit: Type.Optional(Limit) };

export const Time = Type.String({ format: "date-time", description: "ISO 8601, in UTC." });

/** HT8: a former name of a field, kept for existing programs. New programs use `better`. */
export function formerName<Schema extends TSchema>(schema: Schema, better: string): Schema {
  return { ...schema, deprecated: true, description: `The former name of \`${better}\`.` };
}

export const CreatedBy = orNull(Type.String(), {
  description: "The person who created it; null for a service or an operator.",
});

/** The shape of every success. */
export function Success<Data extends TSchema>(data: Data) {
  return Type.Object({ success: Type.Literal(true), message: Type.String(), data });
}

/** The shape of every failure. `code` is the stable identifier: see docs/reference/refusals.md. */
export const Failure = Type.Object({
  success: Type.Literal(false),
  message: Type.String({ description: "For people; may be reworded." }),
  statusCode: Type.Integer({ description: "The HTTP status." }),
  code: Type.String({ description: "A stable identifier for programs." }),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  retryable: Type.Optional(Type.Boolean()),
});
export type Failure = Type.Static<typeof Failure>;

/**
 * A person, as the subject of their token. `.` and `..` are excluded, because a browser would resolve them in a path.
 */
export const UserId = Type.String({
  pattern: "^(?!@|\\.{1,2}$)(?=.*\\S)[^\\p{Cc}\\p{Cs}\\u2028\\u2029]{1,128}$",
  description:
    "The subject of the person's token: 1 to 128 characters, no control characters, not beginning with `@`.",
});
