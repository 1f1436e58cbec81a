import type { FastifyInstance } from "fastify";
import type { Channel, Ear } from "../app/chat/channel.ts";

/** A channel with what brings its messages here: webhooks, or fetching. */
export interface ChannelAdapter extends Channel {
  /** For webhooks. */
  routes?(app: FastifyInstance, ear: Ear): void;
  /** Begins to fetch, or announces a webhook. On every node; returns at once. */
  start?(ear: Ear): void;
  /** Whether this node is the one that fetches. May be called at any time, also before `start`; at first it does not. */
  fetch?(isOurs: boolean): void;
  /** Resolves when nothing is under way any more. */
  stop?(): Promise<void>;
}
