/**
 * Loaded into each test process before its tests. `node:test` follows every promise with a hook, to tell which test an
 * unhandled rejection belongs to. That takes a third of the processor time of servers and simulations. Without it, a
 * rejection fails the whole file, so its stack is printed here. `node --test FILE` names the test.
 */
import hooks from "node:async_hooks";
import { isMainThread } from "node:worker_threads";

const { createHook } = hooks;
if (isMainThread) {
  hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
  process.on("unhandledRejection", (reason) => console.error(reason));
}
