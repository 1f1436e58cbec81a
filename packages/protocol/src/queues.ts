import Type from "typebox";
import {
  changesOf,
  day,
  formerName,
  Id,
  NextCursor,
  optional,
  orNull,
  page,
  seconds,
  shortText,
  strictObject,
  Time,
  UserId,
} from "./common.ts";

export const QueueStatus = Type.Enum(["OPEN", "PAUSED", "ENDED"], {
  description:
    "OPEN: people are admitted. PAUSED: an operator paused admission; places are kept. ENDED: final.",
});

const title = shortText(100);

/** AD5: settings that an operator can change at any time. */
const changeable = {
  title,
  maxActive: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "How many people may be inside at once. Lowering it removes nobody.",
  }),
  rate: orNull(Type.Number({ minimum: 0.001, maximum: 1_000_000, description: "At most three decimals." }), {
    description: "Maximum admissions per second while seats are free; null for no limit.",
  }),
  burst: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description:
      "How many people may be admitted at once after a quiet time. Default: one second of the rate, but at least 1.",
  }),
  maxWaiting: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "The maximum length of the line.",
  }),
  patienceSeconds: seconds(0, day, {
    description: "People who have waited longer than this are not overtaken.",
  }),
  heartbeatTimeoutSeconds: seconds(5, 3_600, {
    description:
      "Waiting places expire after this time without a heartbeat, and at the latest after twice that time.",
  }),
  claimTimeoutSeconds: seconds(5, 3_600, { description: "How long a person has to claim an admission." }),
  sessionDurationSeconds: seconds(5, day, { description: "The maximum length of a session." }),
  sessionTimeoutSeconds: orNull(seconds(5, day), {
    description: "Sessions end after this time without a heartbeat; null for never.",
  }),
  returnAddresses: Type.Array(
    Type.String({
      maxLength: 500,
      pattern: "^(https?://[^\\s\\\\]+|/([^\\s\\\\/][^\\s\\\\]*)?)$",
      description: "An http or https address, or a path on this host.",
    }),
    {
      maxItems: 50,
      description:
        "Where the waiting page may send people: these addresses and everything below them. The first is the default.",
    },
  ),
  maxEntersPerAddress: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    description: "New places per address and minute, below the server's own limit; null for only that limit.",
  }),
};

export const Lane = strictObject({
  name: Type.String({
    pattern: "^[a-z][a-z0-9-]{0,31}$",
    description: "1 to 32 lower-case letters, digits or `-`.",
  }),
  skips: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "The share of the line that the lane skips, with at most three decimals: 0 is the back, 1 the front.",
  }),
  immediate: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Its people wait only for a seat, regardless of the rate, and nobody is placed ahead of them.",
    }),
  ),
});

export const NewQueue = strictObject({
  id: Type.Optional(Id),
  ...optional(changeable),
  title,
  maxActive: changeable.maxActive,
  lanes: Type.Optional(
    Type.Array(Lane, {
      minItems: 1,
      maxItems: 16,
      description: "Lanes by number, from 0. Default: normal, elevated, vip, premium.",
    }),
  ),
  maxPerAddress: Type.Optional(
    orNull(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
      description:
        "Maximum number of live places per address. Off by default, because people may share an address.",
    }),
  ),
});
export type NewQueue = Type.Static<typeof NewQueue>;

export const QueueChanges = changesOf(changeable);
export type QueueChanges = Type.Static<typeof QueueChanges>;

export const Queue = Type.Object({
  id: Type.String({ description: "The waiting room's id." }),
  status: QueueStatus,
  ...changeable,
  lanes: Type.Array(Lane),
  maxPerAddress: orNull(Type.Integer(), {
    description: "Maximum number of live places per address; null for no limit.",
  }),
  waiting: Type.Integer({ description: "People in the line." }),
  admitted: Type.Integer({ description: "People who are admitted and have not come in yet." }),
  active: Type.Integer({ description: "People inside." }),
  createdAt: Time,
});
export type Queue = Type.Static<typeof Queue>;
export const QueueOnly = Type.Object({ queue: Queue });
export type QueueOnly = Type.Static<typeof QueueOnly>;
export const QueueList = Type.Object({ queues: Type.Array(Queue), nextCursor: NextCursor });
export type QueueList = Type.Static<typeof QueueList>;
export const QueueListQuery = strictObject({ status: Type.Optional(QueueStatus), ...page });

export const QueueStats = Type.Object({
  queue: Type.String({ description: "The waiting room's id." }),
  waiting: Type.Integer(),
  away: Type.Integer({
    description: "Waiting people without a recent heartbeat. They are skipped until their next one.",
  }),
  admitted: Type.Integer({ description: "People who are admitted and have not come in yet." }),
  active: Type.Integer({ description: "People inside." }),
  completed: Type.Integer(),
  expired: Type.Integer(),
  left: Type.Integer(),
  entered: Type.Integer({ description: "How many people have entered so far." }),
  moved: Type.Integer({ description: "How many people have been admitted so far." }),
  admittedLastMinute: Type.Integer(),
  admissionsPerSecond: Type.Number({
    description: "Admissions per second in the last minute, or since the queue was created.",
  }),
  averageWaitSeconds: orNull(Type.Number(), { description: "The average wait of recently admitted people." }),
  lastAdmittedAt: orNull(Time),
  estimate: Type.Object(
    {
      measured: Type.Integer({ description: "People who had an estimate and were admitted." }),
      errorShare: orNull(Type.Number(), {
        description:
          "Recent error of estimates: the difference between the middle of the estimate and the actual wait, as a share of the longer of the two, 0 to 1.",
      }),
      withinShare: orNull(Type.Number(), {
        description: "Recent share of people whose wait was within the estimated range.",
      }),
    },
    { description: "The accuracy of the estimates." },
  ),
});
export type QueueStats = Type.Static<typeof QueueStats>;
export const QueueStatsOnly = Type.Object({ stats: QueueStats });
export type QueueStatsOnly = Type.Static<typeof QueueStatsOnly>;

/** Longer than any id. A text that is not an id of this server is not found, whatever its form. */
export const PlaceId = Type.String({
  pattern: "^[A-Za-z0-9_-]{1,96}$",
  description: "As returned by entering or claiming.",
});

const lane = Type.Union([Type.Integer({ minimum: 0, maximum: 15 }), Type.String({ maxLength: 32 })], {
  description:
    "The number or name of a lane. Only for services and operators; a person's lane comes from their token.",
});

const whoEnters = Type.String({
  ...UserId,
  description:
    "The person who enters, as the subject of their token: 1 to 128 characters, no control characters. Only for services and operators; a person enters as themselves.",
});

export const Entering = strictObject({
  lane: Type.Optional(lane),
  userId: Type.Optional(whoEnters),
  person: Type.Optional(formerName(whoEnters, "userId")),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "At most 1,024 bytes as JSON. Stored with the place; shown to the person, services and operators.",
    }),
  ),
});
export type Entering = Type.Static<typeof Entering>;

/** For a place that is over (RM5). */
const ended = {
  reason: Type.Optional(
    Type.Enum(
      [
        "completed",
        "cancelled",
        "left",
        "heartbeat_timeout",
        "claim_timeout",
        "session_timeout",
        "terminated",
        "room_ended",
      ],
      { description: "Why the place is over; missing while it is live." },
    ),
  ),
  endedAt: Type.Optional(
    Type.String({
      format: "date-time",
      description: "When the place ended; missing while it is live.",
    }),
  ),
};

export const Position = Type.Object({
  id: Type.String({ description: "The id of this place. It cannot be guessed." }),
  queue: Type.String(),
  status: Type.Enum(["WAITING", "ADMITTED", "ACTIVE", "COMPLETED", "LEFT", "EXPIRED"]),
  lane: Type.Integer(),
  position: Type.Integer({ description: "One more than the number of people ahead; 0 when not waiting." }),
  length: Type.Integer({ description: "People in the line." }),
  estimate: orNull(Type.Object({ lowSeconds: Type.Integer(), highSeconds: Type.Integer() }), {
    description: "How long the wait will probably take; null when unknown.",
  }),
  away: Type.Boolean({
    description:
      "Whether the place had no recent heartbeat, so that others may have been admitted first. This request counts as a heartbeat and brings it back.",
  }),
  askAgainSeconds: Type.Number({
    description:
      "When to ask again: sooner near the front, and spread so that people do not ask at the same moment.",
  }),
  moved: Type.Integer({
    description:
      "How many people have been admitted so far. Its growth shows how far the position has moved since the last answer.",
  }),
  enteredAt: Time,
  lastHeartbeatAt: Type.Optional(
    Type.String({
      format: "date-time",
      description:
        "Only for services and operators, and only for a live place: a time at most one heartbeat timeout before the last heartbeat, not counting this request. Missing when it is not known.",
    }),
  ),
  ...ended,
  token: Type.Optional(Type.String({ description: "The admission token, to be claimed by `claimBy`." })),
  claimBy: Type.Optional(Time),
});
export type Position = Type.Static<typeof Position>;
export const PositionOnly = Type.Object({ position: Position });
export type PositionOnly = Type.Static<typeof PositionOnly>;
export const PositionLeft = Type.Object({
  position: Type.Object({
    id: Type.String(),
    queue: Type.String(),
    status: Type.Enum(["LEFT", "EXPIRED"], {
      description: "LEFT when the person ended it, EXPIRED when a service or an operator did.",
    }),
    ...ended,
    leftAt: Time,
  }),
});
export type PositionLeft = Type.Static<typeof PositionLeft>;

export const PositionDetails = Type.Object({
  id: Type.String(),
  queue: Type.String(),
  lane: Type.Integer(),
  enteredAt: Time,
  metadata: orNull(Type.Record(Type.String(), Type.Unknown())),
  userAgent: Type.Optional(Type.String({ description: "Only for operators." })),
  address: Type.Optional(Type.String({ description: "A hash of the address, only for operators." })),
});
export type PositionDetails = Type.Static<typeof PositionDetails>;
export const PositionDetailsOnly = Type.Object({ details: PositionDetails });
export type PositionDetailsOnly = Type.Static<typeof PositionDetailsOnly>;

export const Claiming = strictObject({
  token: Type.String({ maxLength: 4_096, description: "The `token` of the admitted position." }),
  queue: Type.Optional(Id),
});
export type Claiming = Type.Static<typeof Claiming>;

export const Session = Type.Object({
  id: Type.String(),
  queue: Type.String(),
  status: Type.Enum(["ACTIVE", "COMPLETED", "LEFT", "EXPIRED"]),
  endTime: Type.Optional(Time),
  endsAt: Type.Optional(formerName(Time, "endTime")),
  token: Type.Optional(
    Type.String({ description: "A signed session token, which sites can verify with the published keys." }),
  ),
});
export type Session = Type.Static<typeof Session>;
export const SessionOnly = Type.Object({ session: Session });
export type SessionOnly = Type.Static<typeof SessionOnly>;
