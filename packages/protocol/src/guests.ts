import Type from "typebox";

export const NewGuest = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        maxLength: 40,
        pattern: "^(?=.*\\S)[^\\p{Cc}]+$",
        description: "1 to 40 characters, not all of them spaces.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const Guest = Type.Object({
  token: Type.String({ description: "The bearer token of this guest. Keep it: it is the only proof." }),
  person: Type.Object({
    id: Type.String({ description: "How others see this guest." }),
    name: Type.String({ description: "As given, or Guest." }),
  }),
});
