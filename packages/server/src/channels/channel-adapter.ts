import type { FastifyInstance } from "fastify";
import type { Channel, Ear } from "../app/chat/channel.ts";

/** A channel with what brings its messages here: webhooks, or fetching. */
export interface ChannelAdapter extends Channel {
  /** Where messages are brought by webhooks. */
  routes?(app: FastifyInstance, ear: Ear): void;
  /** Where they have to be fetched, or a webhook has to be announced: begins, and returns at once. On every node. */
  start?(ear: Ear): void;
  /**
   * Where they have to be fetched: whether this node does it, of several that share a log. Until the first call it does not;
   * that may change at any time, also before `start`. Returns at once.
   */
  fetch?(isOurs: boolean): void;
  /** Resolves when nothing of it is under way any more. */
  stop?(): Promise<void>;
}
