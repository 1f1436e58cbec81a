/**
 * The one catalogue of refusals. `code` is the stable word that programs rely on, `status` is how HTTP says it,
 * `means` is what the reference page prints. A test proves that this list, docs/reference/refusals.md and the
 * answers on the wire agree.
 */
export const refusals = {
  "input.invalid": {
    status: 400,
    means: "A field is missing, unknown, or out of its bounds; `data.field` names it.",
  },
  "input.too-large": { status: 413, means: "The body is larger than the server takes." },
  "input.too-slow": { status: 408, means: "The request did not arrive whole in time." },
  "input.unsupported-type": { status: 415, means: "The body is not JSON." },
  "route.not-found": { status: 404, means: "There is nothing at this address." },
  "route.method-not-allowed": {
    status: 405,
    means: "The address is right and the method is not; `Allow` and `data.allowed` say which are.",
  },
  "origin.not-allowed": {
    status: 403,
    means: "The page that asks belongs to a site that is not among the allowed origins.",
  },
  "auth.missing": { status: 401, means: "The request needs a bearer token and has none." },
  "auth.invalid": {
    status: 401,
    means: "The token is malformed, altered, or from someone this server does not trust.",
  },
  "auth.expired": { status: 401, means: "The token was good once, and its time is over." },
  "auth.unreachable": { status: 503, means: "The keys of your own issuer could not be fetched just now." },
  "auth.guests-off": {
    status: 403,
    means: "This server lets no guests in. Guests from before may only finish what they have begun.",
  },
  "auth.forbidden": {
    status: 403,
    means: "The token is good, but its role may not do this, or not on this port.",
  },
  "token.invalid": {
    status: 400,
    means: "The admission or session token is malformed, altered, or not of this server.",
  },
  "token.expired": {
    status: 400,
    means: "The admission or session token was good once, and its time is over.",
  },
  "token.foreign": { status: 400, means: "The token is of another queue or another person." },
  "key.reused": {
    status: 422,
    means: "The idempotency key was used for another request; nothing was changed.",
  },
  "room.not-found": { status: 404, means: "There is no such room." },
  "room.exists": { status: 409, means: "A room with this id exists already." },
  "room.end-in-past": { status: 400, means: "The end time of a new room must lie in the future." },
  "room.ended": {
    status: 400,
    means:
      "The room has ended, and nothing in it changes any more. Its maker or an operator ended it, its end time came, or nobody used it for a week.",
  },
  "room.full": { status: 400, means: "Every seat is taken and the room has no line." },
  "room.tickets-exhausted": {
    status: 400,
    means: "The room has given out all the tickets that one room may give.",
  },
  "room.conflict": {
    status: 409,
    means: "Others changed the room again and again while this was decided; ask again.",
  },
  "game.unknown": { status: 400, means: "The catalogue has no game of this name." },
  "option.invalid": { status: 400, means: "The game has no such option, or not with this value." },
  "seats.invalid": { status: 400, means: "The game is not played with so many seats." },
  "clock.invalid": {
    status: 400,
    means: "A match that is played elsewhere may not be shorter than twice the grace for those who vanish.",
  },
  "seat.missing": { status: 403, means: "Only those on a seat may do this; the person is not on one." },
  "seat.unknown": { status: 400, means: "Nobody plays on a seat with this label." },
  "match.none": { status: 409, means: "No match is on just now." },
  "match.over": { status: 409, means: "The match is over." },
  "match.stale": {
    status: 409,
    means: "The request is about another match than the one that is on; `data.match` says which is.",
  },
  "match.not-found": { status: 404, means: "There is no such match in this arena, or on this ladder." },
  "match.running": { status: 409, means: "The match is not over yet: it can be replayed when it is." },
  "match.too-long": {
    status: 409,
    means: "More happened in the arena during the match than the server reads again for a replay.",
  },
  "move.unknown": { status: 400, means: "The game has no such move, as one off the board." },
  "move.out-of-turn": { status: 409, means: "It is not this player's turn." },
  "move.impossible": {
    status: 409,
    means: "The move is not possible now, as one on a taken cell; `data.moves` says which are.",
  },
  "turn.stale": {
    status: 409,
    means: "The move is for another turn than the one that is on; `data.turn` says which is.",
  },
  "turn.missing": {
    status: 409,
    means:
      "The player has made this move in this match already and did not name the turn, so it may be a repeat; `data.turn` says which turn is on.",
  },
  "move.elsewhere": { status: 409, means: "The game is played elsewhere: here only its results are told." },
  "result.decided-here": {
    status: 409,
    means: "The result follows from the moves; nobody has to report it.",
  },
  "result.exists": { status: 409, means: "The result of the match is known already." },
  "ladder.not-found": { status: 404, means: "There is no such ladder." },
  "ladder.exists": { status: 409, means: "A ladder with this id exists already." },
  "ladder.ended": {
    status: 400,
    means:
      "The ladder has ended: nobody enrols or reports any more. Its maker or an operator ended it, or nobody used it for a week.",
  },
  "ladder.closed": { status: 403, means: "Nobody enrols on this ladder by themselves." },
  "ladder.full": { status: 400, means: "The ladder has all the players that one ladder may have." },
  "ladder.exhausted": {
    status: 400,
    means: "The ladder has all the matches, imports or arenas that one ladder may have.",
  },
  "ladder.two-players-only": { status: 400, means: "Only arenas in which two play can feed a ladder." },
  "player.not-found": {
    status: 404,
    means: "The person is not a player of this ladder; `data.userId` says who.",
  },
  "player.exists": { status: 400, means: "The person is a player of this ladder already." },
  "player.missing": { status: 400, means: "The person who asks is not a player of this ladder." },
  "player.banned": {
    status: 403,
    means:
      "The player is banned from this ladder: they may not join it, and no match with them can be reported; `data.userId` says who.",
  },
  "player.not-banned": { status: 409, means: "The player is not banned from this ladder." },
  "player.self": { status: 400, means: "Both players of the match are the same person." },
  "match.counted": { status: 409, means: "The match counts already: there is nothing to confirm." },
  "match.voided": { status: 409, means: "The match was voided already." },
  "match.declined": {
    status: 409,
    means: "The opponent has declined the match, or another report of it counts; it never counted.",
  },
  "match.lapsed": {
    status: 409,
    means:
      "The match was not confirmed in time, made room for newer ones, or was with a player who was banned; it never counted.",
  },
  "match.too-old": {
    status: 409,
    means: "So many matches have counted since that this one cannot be voided any more.",
  },
  "undo.over": {
    status: 409,
    means:
      "The time in which the person who reported a match may void it is over; the maker of the ladder and operators still can.",
  },
  "import.exists": {
    status: 409,
    means:
      "The file was imported before, or is being. It is said within the server alone: people are told how far it is.",
  },
  "import.running": { status: 409, means: "Another file is being imported on this ladder." },
  "import.invalid": {
    status: 400,
    means: "The file cannot be read; `data.rows` says which of its rows, and why. Nothing was imported.",
  },
  "import.not-found": { status: 404, means: "There is no such import on this ladder." },
  "delivery.repeated": {
    status: 409,
    means: "A result of another room was counted before. It is said within the server alone.",
  },
  "delivery.not-found": {
    status: 404,
    means: "Nothing by this number was set aside, or it was sent again already.",
  },
  "delivery.late": {
    status: 409,
    means: "What was set aside is for a room that has gone on since: it would count for nothing there.",
  },
  "tier.other": {
    status: 409,
    means: "The arena is for players of other ratings; `data.arena` says which is for this one.",
  },
  "ladder.no-duels": { status: 409, means: "Duels do not count on this ladder." },
  "nickname.invalid": { status: 400, means: "A nickname has 2 to 20 letters, digits, `_` or `-`." },
  "nickname.taken": {
    status: 409,
    means: "Somebody else is called so, in whatever case.",
  },
  "nickname.same": {
    status: 409,
    means:
      "The person has this nickname already: nothing changes. It is said within the server alone: people are answered 200.",
  },
  "nickname.missing": { status: 409, means: "The person who asks has no nickname yet." },
  "nickname.unknown": { status: 404, means: "Nobody has this nickname." },
  "directory.full": {
    status: 503,
    means: "The limit of nicknames or conversations is reached, and none can be evicted.",
  },
  "duel.self": { status: 400, means: "Nobody duels with themselves." },
  "duel.exists": { status: 409, means: "The two have an open duel already." },
  "duel.thrown": { status: 409, means: "The person has thrown in this duel already." },
  "duel.not-found": { status: 404, means: "There is no such duel of the person's, or it was long ago." },
  "duel.over": { status: 409, means: "The duel is over." },
  "duel.too-many": { status: 429, means: "This person has too many open challenges." },
  "conversation.not-found": { status: 404, means: "There is no such group in a chat." },
  "queue.paused": {
    status: 409,
    means: "The waiting room is paused already. It is said within the server alone: operators get a 200.",
  },
  "queue.running": {
    status: 409,
    means: "The waiting room is not paused. It is said within the server alone: operators get a 200.",
  },
  "place.exists": { status: 400, means: "The person has a place in the room already." },
  "place.missing": { status: 400, means: "The person has no place in the room." },
  "place.not-found": {
    status: 404,
    means: "There is no such place in a line, or no such session; or it is somebody else's.",
  },
  "place.over": { status: 410, means: "The place has expired, was given up, or is completed." },
  "place.unready": {
    status: 409,
    means: "The place is not in the state that this needs; `data.status` says which.",
  },
  "code.used": { status: 409, means: "The code that moves a place to another device was used already." },
  "lane.unknown": { status: 400, means: "The waiting room has no such lane." },
  "lane.forbidden": { status: 403, means: "A lane comes from a signed claim, a service or an operator." },
  "return.not-allowed": {
    status: 400,
    means: "The waiting room does not send people to this address.",
  },
  "session.missing": {
    status: 401,
    means: "There is no running session; `Openseat-Wait` says where to wait for one.",
  },
  "line.full": {
    status: 503,
    means: "The line has its greatest length; nobody inside is harmed. Try again later.",
  },
  "limit.address": {
    status: 429,
    means: "This address has asked for too many; `Retry-After` says when to come back.",
  },
  "limit.person": {
    status: 429,
    means: "This person has written too much; `Retry-After` says when to come back.",
  },
  "limit.rooms": {
    status: 429,
    means: "This person has reached the limit of rooms that have not ended.",
  },
  "limit.pending": {
    status: 429,
    means: "Too many of this person's reports wait for confirmation, in total or against this opponent.",
  },
  "limit.watches": { status: 429, means: "This connection watches as many rooms as one connection may." },
  "server.busy": {
    status: 503,
    means: "The server, or one room, has more to do than it can do in time; try again after `Retry-After`.",
  },
  "server.stopping": { status: 503, means: "The server is stopping; ask again in a moment." },
  "log.unavailable": {
    status: 503,
    means: "The log could not be written or read just now; nothing was acknowledged.",
  },
  "rules.missing": {
    status: 501,
    means: "This server lacks the rules of the game that is played in this arena; all other rooms work.",
  },
  "log.damaged": { status: 500, means: "The stored entries of this room do not match their hashes." },
  "server.fault": { status: 500, means: "A fault of the server's own; it is in its logs." },
} as const satisfies Record<string, { status: number; means: string }>;

export type RefusalCode = keyof typeof refusals;

/** Why nothing was changed. A refusal is an answer like any other, so it is a value and is never thrown. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Asking the very same thing again may well succeed. */
  readonly retryable?: true;
  /** How long to wait before that, where a moment is not enough. */
  readonly retryAfterSeconds?: number;
}
