import { readFileSync } from "node:fs";
import {
  Arena,
  ArenaChange,
  ArenaGame,
  ArenaState,
  ConversationLine,
  clientMessages,
  Failure,
  Game,
  GameChange,
  Ladder,
  LadderChange,
  PositionOnly,
  Queue,
  QueueChange,
  Success,
  Time,
} from "@openseat/protocol";
import Type, { type TProperties, type TSchema } from "typebox";
import { messageRules } from "../../live/messages.ts";
import { accessSentence } from "./access-sentence.ts";
import { exampleOf, type Schema } from "./examples.ts";

const introduction = readFileSync(new URL("./live.md", import.meta.url), "utf8");
const version = Type.Integer({ description: "The version of the room after this." });

function view(of: string, fields: TProperties) {
  const description = `The complete state of ${of}. It comes first, and again if you fall too far behind.`;
  return Type.Object({ type: Type.Literal("view"), ...fields, version }, { description });
}

function change(of: string, about: string, change: TSchema, more: TProperties = {}) {
  return Type.Object(
    {
      type: Type.Literal("change"),
      version,
      [about]: Type.String(),
      at: Time,
      changes: Type.Array(change, { description: "The changes of one entry of the log, in order." }),
      ...more,
    },
    { description: `A change of ${of}. Only changes that are safely on the disk are sent.` },
  );
}

const conversation = Type.String({ description: "`me`." });
const count = Type.Integer();

/** Messages from the server, by their names in the document. */
const serverMessages = {
  answer: Type.Object(
    {
      id: Type.Union([Type.Integer(), Type.Null()], {
        description: "The number of your message; null if it could not be read.",
      }),
      type: Type.Literal("answer"),
      status: Type.Integer({ description: "The status of the same request over HTTP." }),
      body: Type.Union([Success(Type.Record(Type.String(), Type.Unknown())), Failure]),
      replayed: Type.Optional(Type.Boolean({ description: "The key was recognised." })),
      retryAfterSeconds: Type.Optional(Type.Integer()),
    },
    {
      description: "The answer to one of your messages. Answers may arrive in a different order.",
    },
  ),
  "view of a game": view("a game", { game: Game }),
  "change of a game": change("a game", "game", GameChange),
  "view of an arena": view("an arena, as you may see it", {
    arena: Arena,
    game: ArenaGame,
    state: ArenaState,
  }),
  "change of an arena": change("an arena", "arena", ArenaChange, {
    state: Type.Optional(
      Type.Partial(ArenaState, {
        description:
          "The parts of the state that may have changed, as you may see them. Only the newest change has it; missing parts have not changed.",
      }),
    ),
  }),
  "view of a ladder": view("a ladder, without its standings", { ladder: Ladder }),
  "change of a ladder": change("a ladder", "ladder", LadderChange),
  "view of a waiting room": view("a waiting room", { queue: Queue }),
  "change of a waiting room": change("a waiting room", "queue", QueueChange, {
    ...{ waiting: count, admitted: count, active: count, moved: count },
  }),
  "view of a conversation": view("your conversation: its latest 100 lines", {
    conversation,
    lines: Type.Array(ConversationLine),
  }),
  "change of a conversation": Type.Object(
    {
      type: Type.Literal("change"),
      version,
      conversation,
      lines: Type.Array(Type.Omit(ConversationLine, ["number"])),
    },
    { description: "New lines of your conversation." },
  ),
  position: Type.Intersect([Type.Object({ type: Type.Literal("position") }), PositionOnly], {
    description: "The place that you follow has changed.",
  }),
  pulse: Type.Object(
    {
      type: Type.Literal("pulse"),
      queue: Type.String(),
      version,
      moved: Type.Integer({ description: "How many people have been let in so far." }),
      waiting: count,
      admittedLastMinute: count,
      paused: Type.Boolean(),
    },
    {
      description:
        "The state of the line that you follow, the same for everyone in it. Between two exact positions, yours is about *position − (moved − moved then)*.",
    },
  ),
};

interface Message {
  readonly name: string;
  readonly title: string;
  readonly payload: Schema;
  readonly description: string;
  readonly examples?: readonly { readonly payload: unknown }[];
}

/** The live protocol as AsyncAPI, from the schemas that messages are checked against. */
export function liveDocument(apiVersion: string, publicUrl: string): object {
  const sent = Object.entries(clientMessages).map(([name, schema]) => {
    const { access } = messageRules[name as keyof typeof clientMessages];
    return messageOf(`send-${name}`, name, schema as unknown as Schema, accessSentence(access), [
      exampleOf(schema as unknown as Schema),
    ]);
  });
  const received = Object.entries(serverMessages).map(([name, schema]) =>
    messageOf(`receive-${name.replaceAll(" ", "-")}`, name, schema as unknown as Schema),
  );
  const channel = { $ref: "#/channels/live" };
  const operation = (action: "send" | "receive") => (message: Message) => [
    message.name,
    {
      ...{ action, channel, title: message.title, description: message.description },
      messages: [{ $ref: `#/channels/live/messages/${message.name}` }],
    },
  ];
  return {
    asyncapi: "3.0.0",
    info: { title: "Openseat live protocol", version: apiVersion, description: introduction },
    servers: { openseat: serverAt(new URL(publicUrl)) },
    channels: {
      live: {
        address: "/api/v1/live",
        description: "A WebSocket. Every message is one JSON object, as text.",
        messages: Object.fromEntries([...sent, ...received].map((message) => [message.name, message])),
      },
    },
    // In AsyncAPI, operations are named from the server's side.
    operations: Object.fromEntries([...sent.map(operation("receive")), ...received.map(operation("send"))]),
  };
}

function messageOf(
  name: string,
  title: string,
  { description, ...payload }: Schema,
  access = "",
  examples: readonly unknown[] = [],
): Message {
  return {
    ...{ name, title, payload },
    description: `${description} ${access}`.trim(),
    ...(examples.length > 0 && { examples: examples.map((example) => ({ payload: example })) }),
  };
}

function serverAt({ protocol, host, pathname }: URL): object {
  return { host, pathname, protocol: protocol === "https:" ? "wss" : "ws" };
}
