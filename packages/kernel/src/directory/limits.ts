export const directoryLimits = {
  /** Bounds memory and the time to restore a snapshot. At either limit, somebody idle is evicted (LM6). */
  peopleMax: 100_000,
  /** At the limit of people, a network with more than this loses people before all others. */
  peopleOfNetworkMax: 1_000,
  conversationsMax: 100_000,
  /** Ladders of one person that are told of a new name. */
  ladderNamesMax: 20,
  /** Ladders that tell people things; past it, the one that was silent longest is forgotten. */
  sourcesMax: 100_000,
  /** Of a message, what is kept in the log. */
  textKeptMax: 500,
  /** After somebody has quit they can still be told so; then their address is forgotten. */
  forgetAfterMs: 60 * 60 * 1000,
  /** The same for somebody who never chose a name, and is silent for so long. */
  namelessMsMax: 30 * 24 * 60 * 60 * 1000,
  /** Notices per recipient and hour; fewer by SMS, which costs money. */
  noticesMax: 100,
  noticesBySmsMax: 20,
  /** LM6: notices per sender and hour; and to the same person on a channel. */
  noticesFromOneMax: 30,
  noticesOfPairMax: 5,
  /** Senders whose notices are counted in one hour; past it, the half that began first is forgotten. */
  sendersMax: 100_000,
  noticesMs: 60 * 60 * 1000,
  /** Conversations that are forgotten in one entry. */
  forgottenMax: 1_000,
} as const;
