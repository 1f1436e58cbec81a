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
    "OPEN: people are let in. PAUSED: nobody is, by an operator's word; places are kept. ENDED: for good.",
});

const title = shortText(100, " People read it while they wait.");

/** AD5: settings that an operator can change at any time. */
const changeable = {
  title,
  maxActive: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "How many may be inside at once. Lowering it sends nobody away.",
  }),
  rate: orNull(Type.Number({ minimum: 0.001, maximum: 1_000_000, description: "At most three decimals." }), {
    description: "Admissions a second, at most, while seats are free; null for no such bound.",
  }),
  burst: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description:
      "How many may be let in at once after a quiet time. By default a second's worth of the rate, and 1 at least.",
  }),
  maxWaiting: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "The longest that the line may get.",
  }),
  patienceSeconds: seconds(0, day, { description: "Nobody who has waited longer than this is overtaken." }),
  heartbeatTimeoutSeconds: seconds(5, 3_600, {
    description:
      "A waiting place without a heartbeat for this long expires, after twice as long at the latest.",
  }),
  claimTimeoutSeconds: seconds(5, 3_600, { description: "How long an admission may be claimed." }),
  sessionDurationSeconds: seconds(5, day, { description: "How long a session lasts at the most." }),
  sessionTimeoutSeconds: orNull(seconds(5, day), {
    description: "A session without a heartbeat for this long ends; null for never.",
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
        "Where the waiting page may send people: to these addresses and what lies below them. The first is the usual one.",
    },
  ),
  maxEntersPerAddress: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
    description:
      "New places that one address may take per minute, below the server's own limit; null for that limit alone.",
  }),
};

export const Lane = strictObject({
  name: Type.String({
    pattern: "^[a-z][a-z0-9-]{0,31}$",
    description: "1 to 32 small letters, digits or `-`.",
  }),
  skips: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "The share of the line that it skips, of at most three decimals: 0 is the back, 1 the front.",
  }),
  immediate: Type.Optional(
    Type.Boolean({
      default: false,
      description: "At the front it waits for a seat alone, whatever the rate; nobody is placed ahead of it.",
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
      description: "By number, the first is 0. Default: normal, elevated, vip, premium.",
    }),
  ),
  maxPerAddress: Type.Optional(
    orNull(Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
      description:
        "The most live places of one address. Off by default, because honest people share addresses.",
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
    description: "Live places of one address at most; null for no such bound.",
  }),
  waiting: Type.Integer({ description: "People in the line." }),
  admitted: Type.Integer({ description: "People whose turn it is, and who have not come in yet." }),
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
    description: "Of those who wait: no heartbeat for a while, so they are passed over until there is one.",
  }),
  admitted: Type.Integer({ description: "Whose turn it is, and who have not come in yet." }),
  active: Type.Integer({ description: "Inside." }),
  completed: Type.Integer(),
  expired: Type.Integer(),
  left: Type.Integer(),
  entered: Type.Integer({ description: "Everyone who ever came." }),
  moved: Type.Integer({ description: "Everyone who was ever let in." }),
  admittedLastMinute: Type.Integer(),
  admissionsPerSecond: Type.Number({
    description: "Observed during the last minute, or since the queue was made if that is less.",
  }),
  averageWaitSeconds: orNull(Type.Number(), { description: "Of recent admissions." }),
  lastAdmittedAt: orNull(Time),
  estimate: Type.Object(
    {
      measured: Type.Integer({ description: "People who had been given an estimate and have been let in." }),
      errorShare: orNull(Type.Number(), {
        description:
          "How far the middle of the estimate and the true wait were apart, as a share of the longer of the two, recently: 0 to 1.",
      }),
      withinShare: orNull(Type.Number(), {
        description: "The share of people whose wait lay within the range that they were told, recently.",
      }),
    },
    { description: "How good the estimates have been." },
  ),
});
export type QueueStats = Type.Static<typeof QueueStats>;
export const QueueStatsOnly = Type.Object({ stats: QueueStats });
export type QueueStatsOnly = Type.Static<typeof QueueStatsOnly>;

/** Longer than any id. A text that is not an id of this server is not found, whatever its form. */
export const PlaceId = Type.String({
  pattern: "^[A-Za-z0-9_-]{1,96}$",
  description: "As it was given by entering or claiming.",
});

const lane = Type.Union([Type.Integer({ minimum: 0, maximum: 15 }), Type.String({ maxLength: 32 })], {
  description: "By number or name. From services and operators; a person's comes from their token.",
});

const whoEnters = Type.String({
  ...UserId,
  description:
    "Who enters, as the subject of their token: 1 to 128 characters, none of them a control character. From services and operators; a person enters as themselves.",
});

export const Entering = strictObject({
  lane: Type.Optional(lane),
  userId: Type.Optional(whoEnters),
  person: Type.Optional(formerName(whoEnters, "userId")),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "At most 1,024 bytes as JSON. Kept with the place; shown to the person, to services and to operators.",
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
      { description: "Why the place is over; left out while it is not." },
    ),
  ),
  endedAt: Type.Optional(
    Type.String({
      format: "date-time",
      description: "When the place ended; left out while it has not.",
    }),
  ),
};

export const Position = Type.Object({
  id: Type.String({ description: "Of this place. Nobody can guess it." }),
  queue: Type.String(),
  status: Type.Enum(["WAITING", "ADMITTED", "ACTIVE", "COMPLETED", "LEFT", "EXPIRED"]),
  lane: Type.Integer(),
  position: Type.Integer({ description: "One more than the number of people ahead; 0 when not waiting." }),
  length: Type.Integer({ description: "People in the line." }),
  estimate: orNull(Type.Object({ lowSeconds: Type.Integer(), highSeconds: Type.Integer() }), {
    description: "How long it will probably take; null when nobody could say.",
  }),
  away: Type.Boolean({
    description:
      "Whether the place sent no heartbeat for a while, so that others may have gone in first. Asking brings it back.",
  }),
  askAgainSeconds: Type.Number({
    description: "When to ask again: sooner near the front, and not all at once.",
  }),
  moved: Type.Integer({
    description: "Everyone who was ever let in. By its growth a position can be told between two answers.",
  }),
  enteredAt: Time,
  lastHeartbeatAt: Type.Optional(
    Type.String({
      format: "date-time",
      description:
        "For services and operators, of a live place: its last heartbeat before this request came then or later, by at most one heartbeat timeout. Left out where that is not known.",
    }),
  ),
  ...ended,
  token: Type.Optional(
    Type.String({ description: "The proof of admission, to be claimed until `claimBy`." }),
  ),
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
      description: "LEFT by the person's own word, EXPIRED by a service's or an operator's.",
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
  userAgent: Type.Optional(Type.String({ description: "For operators." })),
  address: Type.Optional(Type.String({ description: "A hash of it, for operators." })),
});
export const PositionDetailsOnly = Type.Object({ details: PositionDetails });
export type PositionDetailsOnly = Type.Static<typeof PositionDetailsOnly>;

export const Claiming = strictObject({
  token: Type.String({ maxLength: 4_096, description: "The token that the admitted position carries." }),
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
    Type.String({ description: "A proof of the session, for sites that check it by the published keys." }),
  ),
});
export type Session = Type.Static<typeof Session>;
export const SessionOnly = Type.Object({ session: Session });
export type SessionOnly = Type.Static<typeof SessionOnly>;
