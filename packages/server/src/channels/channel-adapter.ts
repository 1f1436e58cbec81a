import type { FastifyInstance } from "fastify";
import type { Channel, MessageReceiver } from "../app/chat/channel.ts";

/** A channel, and how its messages arrive: webhooks or polling. */
export interface ChannelAdapter extends Channel {
  /** For webhooks. */
  routes?(app: FastifyInstance, receiver: MessageReceiver): void;
  /** Starts polling, or registers a webhook. Runs on every node; returns at once. */
  start?(receiver: MessageReceiver): void;
  /** Whether this node does the polling; false at first. May be called at any time, also before `start`. */
  fetch?(isOurs: boolean): void;
  /** Resolves when all work has finished. */
  stop?(): Promise<void>;
}
