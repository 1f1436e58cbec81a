/**
 * The catalogue of refusals. `code` is the stable identifier that programs rely on, `status` is the HTTP status, and
 * `means` is printed on the reference page. A test proves that this list, docs/reference/refusals.md and the answers
 * on the wire agree.
 */
export const refusals = {
  "input.invalid": {
    status: 400,
    means: "A field is missing, unknown or out of bounds. `data.field` names the field.",
  },
  "input.too-large": { status: 413, means: "The request body is larger than the server accepts." },
  "input.too-slow": { status: 408, means: "The request did not arrive completely before the timeout." },
  "input.unsupported-type": { status: 415, means: "The request body is not JSON." },
  "route.not-found": { status: 404, means: "No route exists at this address." },
  "route.method-not-allowed": {
    status: 405,
    means:
      "The address exists but does not support this method. `Allow` and `data.allowed` list the supported methods.",
  },
  "origin.not-allowed": {
    status: 403,
    means: "The request comes from a page of a site that is not among the allowed origins.",
  },
  "auth.missing": { status: 401, means: "The route requires a bearer token and the request has none." },
  "auth.invalid": {
    status: 401,
    means: "The token is malformed, altered, or from an issuer that this server does not trust.",
  },
  "auth.expired": { status: 401, means: "The token has expired. Get a new one." },
  "auth.unreachable": {
    status: 503,
    means: "The server could not fetch the keys of your own token issuer. Try again later.",
  },
  "auth.guests-off": {
    status: 403,
    means: "This server does not accept guests. Existing guests can only finish what they have started.",
  },
  "auth.forbidden": {
    status: 403,
    means: "The token is valid, but its role does not have access to this, or not on this port.",
  },
  "token.invalid": {
    status: 400,
    means: "The admission or session token is malformed, altered, or from another server.",
  },
  "token.expired": { status: 400, means: "The admission or session token has expired." },
  "token.foreign": { status: 400, means: "The token belongs to another queue or another person." },
  "key.reused": {
    status: 422,
    means: "The idempotency key was already used for a different request. Nothing was changed.",
  },
  "room.not-found": { status: 404, means: "There is no such room." },
  "room.exists": { status: 409, means: "A room with this id already exists." },
  "room.end-in-past": { status: 400, means: "The end time of a new room must be in the future." },
  "room.ended": {
    status: 400,
    means:
      "The room has ended and can no longer be changed. Its creator or an operator ended it, its end time came, or it was not used for a week.",
  },
  "room.full": { status: 400, means: "Every seat is taken and the room has no line." },
  "room.tickets-exhausted": {
    status: 400,
    means: "The room has reached its limit of tickets. Create a new room.",
  },
  "room.conflict": { status: 409, means: "The room kept changing while the request was decided. Try again." },
  "game.unknown": { status: 400, means: "The catalogue has no game with this name." },
  "option.invalid": {
    status: 400,
    means: "The game does not have this option, or the value is out of bounds.",
  },
  "seats.invalid": { status: 400, means: "The game cannot be played with this number of seats." },
  "clock.invalid": {
    status: 400,
    means:
      "For a match played elsewhere, `moveTimeoutSeconds` must be at least twice `reconnectGraceSeconds`.",
  },
  "seat.missing": { status: 403, means: "Only players on a seat can do this, and the person is not on one." },
  "seat.unknown": { status: 400, means: "The match has no player on a seat with this label." },
  "match.none": { status: 409, means: "No match is being played right now." },
  "match.over": { status: 409, means: "The match is over." },
  "match.stale": {
    status: 409,
    means:
      "The request is for a match that is not the current one. `data.match` is the number of the current match.",
  },
  "match.not-found": { status: 404, means: "There is no such match in this arena or on this ladder." },
  "match.running": { status: 409, means: "The match is not over yet. It can be replayed once it is." },
  "match.too-long": {
    status: 409,
    means: "The arena's log has more entries for this match than the server reads for a replay.",
  },
  "move.unknown": {
    status: 400,
    means: "The game has no such move, for example a cell that is not on the board.",
  },
  "move.out-of-turn": { status: 409, means: "It is not this player's turn." },
  "move.impossible": {
    status: 409,
    means:
      "The move is not possible now, for example because the cell is taken. `data.moves` lists the possible moves.",
  },
  "turn.stale": {
    status: 409,
    means: "The move is for a turn that is not the current one. `data.turn` is the current turn.",
  },
  "turn.missing": {
    status: 409,
    means:
      "The player already made this move in this match and did not name the turn, so the request may be a retry. `data.turn` is the current turn.",
  },
  "move.elsewhere": {
    status: 409,
    means: "The game is played elsewhere, so moves are not made here. A service reports the results.",
  },
  "result.decided-here": {
    status: 409,
    means: "The result follows from the moves, so it cannot be reported.",
  },
  "result.exists": { status: 409, means: "The match already has a result." },
  "ladder.not-found": { status: 404, means: "There is no such ladder." },
  "ladder.exists": { status: 409, means: "A ladder with this id already exists." },
  "ladder.ended": {
    status: 400,
    means:
      "The ladder has ended, so nobody can join it or report matches. Its creator or an operator ended it, or it was not used for a week.",
  },
  "ladder.closed": {
    status: 403,
    means: "The ladder is invite-only. Its creator, a service or an operator adds players.",
  },
  "ladder.full": { status: 400, means: "The ladder has reached its limit of players." },
  "ladder.exhausted": {
    status: 400,
    means: "The ladder has reached its limit of matches, imports or arenas. Create a new ladder.",
  },
  "ladder.two-players-only": { status: 400, means: "Only arenas with two seats can count on a ladder." },
  "player.not-found": {
    status: 404,
    means: "The person is not a player of this ladder. `data.userId` names the person.",
  },
  "player.exists": { status: 400, means: "The person is already a player of this ladder." },
  "player.missing": { status: 400, means: "The person who made the request is not a player of this ladder." },
  "player.banned": {
    status: 403,
    means:
      "The player is banned from this ladder. They cannot join it, and matches with them cannot be reported. `data.userId` names the player.",
  },
  "player.not-banned": { status: 409, means: "The player is not banned from this ladder." },
  "player.self": { status: 400, means: "Both players of the match are the same person." },
  "match.counted": {
    status: 409,
    means: "The match already counts, so there is nothing to confirm or decline.",
  },
  "match.voided": { status: 409, means: "The match was already voided." },
  "match.declined": {
    status: 409,
    means: "The match never counted: the opponent declined it, or another report of it counts.",
  },
  "match.lapsed": {
    status: 409,
    means:
      "The match never counted: it was not confirmed in time, newer reports replaced it, or one of the players was banned.",
  },
  "match.too-old": {
    status: 409,
    means: "Too many matches have counted since this one, so it can no longer be voided.",
  },
  "undo.over": {
    status: 409,
    means:
      "The time in which the reporter can void the match is over. The creator of the ladder and operators can still void it.",
  },
  "import.exists": {
    status: 409,
    means:
      "The file was already imported, or is being imported. Internal: API clients get the progress of that import instead.",
  },
  "import.running": {
    status: 409,
    means: "Another file is being imported on this ladder. Wait until it is done.",
  },
  "import.invalid": {
    status: 400,
    means: "The file cannot be read. `data.rows` lists the rows at fault and why. Nothing was imported.",
  },
  "import.not-found": { status: 404, means: "There is no such import on this ladder." },
  "delivery.repeated": {
    status: 409,
    means: "A result from another room was already counted. Internal: API clients never get this code.",
  },
  "delivery.not-found": {
    status: 404,
    means: "There is no dead letter with this number, or it was already sent again.",
  },
  "delivery.late": {
    status: 409,
    means:
      "The room has received newer deliveries since, so sending this dead letter again would have no effect.",
  },
  "tier.other": {
    status: 409,
    means: "The arena is for players with other ratings. `data.arena` is the arena for this player.",
  },
  "ladder.no-duels": { status: 409, means: "Duels do not count on this ladder." },
  "nickname.invalid": { status: 400, means: "A nickname has 2 to 20 letters, digits, `_` or `-`." },
  "nickname.taken": {
    status: 409,
    means: "Another person has this nickname. Upper and lower case make no difference.",
  },
  "nickname.same": {
    status: 409,
    means: "The person already has this nickname, so nothing changes. Internal: API clients get a 200.",
  },
  "nickname.missing": { status: 409, means: "The person who made the request has no nickname yet." },
  "nickname.unknown": { status: 404, means: "No person has this nickname." },
  "directory.full": {
    status: 503,
    means: "The server has reached its limit of nicknames or conversations, and none can be evicted.",
  },
  "duel.self": { status: 400, means: "A person cannot challenge themselves to a duel." },
  "duel.exists": { status: 409, means: "The two people already have an open duel." },
  "duel.thrown": { status: 409, means: "The person has already thrown in this duel." },
  "duel.not-found": { status: 404, means: "The person has no such duel, or it ended too long ago." },
  "duel.over": { status: 409, means: "The duel is over." },
  "duel.too-many": {
    status: 429,
    means: "The person has too many open challenges. Withdraw one, or wait for an answer.",
  },
  "conversation.not-found": { status: 404, means: "There is no such chat group." },
  "queue.paused": {
    status: 409,
    means: "The waiting room is already paused. Internal: operators get a 200.",
  },
  "queue.running": { status: 409, means: "The waiting room is not paused. Internal: operators get a 200." },
  "place.exists": { status: 400, means: "The person already has a place in the room." },
  "place.missing": { status: 400, means: "The person has no place in the room." },
  "place.not-found": {
    status: 404,
    means: "There is no such place in a line and no such session, or it belongs to another person.",
  },
  "place.over": { status: 410, means: "The place has expired, was given up, or is completed." },
  "place.unready": {
    status: 409,
    means: "The place is in the wrong state for this request. `data.status` is its state.",
  },
  "code.used": { status: 409, means: "The code that moves a place to another device was already used." },
  "lane.unknown": { status: 400, means: "The waiting room has no such lane." },
  "lane.forbidden": {
    status: 403,
    means: "People cannot choose a lane. It comes from a signed claim, a service or an operator.",
  },
  "return.not-allowed": { status: 400, means: "The waiting room does not send people to this address." },
  "session.missing": {
    status: 401,
    means: "The visitor has no running session. `Openseat-Wait` is the address where they can wait for one.",
  },
  "line.full": {
    status: 503,
    means: "The line has reached its maximum length. Nobody in it is affected. Try again later.",
  },
  "limit.address": {
    status: 429,
    means: "This address has sent too many requests. `Retry-After` says when to try again.",
  },
  "limit.person": {
    status: 429,
    means:
      "This person has sent too many requests that change something. `Retry-After` says when to try again.",
  },
  "limit.rooms": { status: 429, means: "This person has reached the limit of rooms that have not ended." },
  "limit.pending": {
    status: 429,
    means:
      "Too many of this person's reports are waiting for confirmation, in total or against this opponent.",
  },
  "limit.watches": { status: 429, means: "This connection already watches the maximum number of rooms." },
  "server.busy": {
    status: 503,
    means: "The server or one room is overloaded. Try again after `Retry-After`.",
  },
  "server.stopping": { status: 503, means: "The server is shutting down. Try again in a moment." },
  "log.unavailable": {
    status: 503,
    means: "The log could not be read or written. Nothing was changed. Try again later.",
  },
  "rules.missing": {
    status: 501,
    means: "This server does not have the rules of the game in this arena. All other rooms work.",
  },
  "log.damaged": { status: 500, means: "The stored entries of this room do not match their hashes." },
  "server.fault": { status: 500, means: "The server failed because of a bug. Its logs have the details." },
} as const satisfies Record<string, { status: number; means: string }>;

export type RefusalCode = keyof typeof refusals;

/** Why nothing was changed. A refusal is an ordinary answer, so it is a value and is never thrown. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** The same request may succeed if it is sent again. */
  readonly retryable?: true;
  /** How long to wait before that, when an immediate retry is pointless. */
  readonly retryAfterSeconds?: number;
}
