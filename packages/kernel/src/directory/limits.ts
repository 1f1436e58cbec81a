export const directoryLimits = {
  /** Bounds memory and the time to restore a snapshot. At either limit, an idle person is evicted (LM6). */
  peopleMax: 100_000,
  /** At the limit of people, networks with more than this lose people first. */
  peopleOfNetworkMax: 1_000,
  conversationsMax: 100_000,
  /** Ladders per person that are notified of a new nickname. */
  ladderNamesMax: 20,
  /** Ladders that send notices. Beyond this, the one that was silent for longest is forgotten. */
  sourcesMax: 100_000,
  /** Characters of a message that are stored in the log. */
  textKeptMax: 500,
  /** How long a person's address is kept after they quit, so that the reply can be delivered. */
  forgetAfterMs: 60 * 60 * 1000,
  /** How long the address of a silent person without a nickname is kept. */
  namelessMsMax: 30 * 24 * 60 * 60 * 1000,
  /** Notices per recipient and hour; fewer by SMS, which costs money. */
  noticesMax: 100,
  noticesBySmsMax: 20,
  /** LM6: notices per sender and hour, and to the same person on a channel. */
  noticesFromOneMax: 30,
  noticesOfPairMax: 5,
  /** Senders whose notices are counted per hour. Beyond this, the older half is forgotten. */
  sendersMax: 100_000,
  noticesMs: 60 * 60 * 1000,
  /** Conversations that are forgotten in one entry. */
  forgottenMax: 1_000,
} as const;
