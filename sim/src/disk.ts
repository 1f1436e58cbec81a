import type { World } from "./world.ts";

/** The disk of a standalone node. Sometimes it fails or hangs for a while. */
export class Disk {
  readonly #world: World;
  /** Work that continues after a hang; undefined while the disk works. */
  #hanging: (() => void)[] | undefined;
  isFailing = false;

  constructor(world: World) {
    this.#world = world;
  }

  breakDown(forMs: number, how: "fails" | "hangs"): void {
    if (how === "fails") this.isFailing = true;
    else this.#hanging ??= [];
    this.#world.after(forMs, "the disk is back", () => this.mend());
  }

  mend(): void {
    this.isFailing = false;
    const hanging = this.#hanging ?? [];
    this.#hanging = undefined;
    for (const run of hanging) run();
  }

  /** Runs now, or after the hang. */
  when(run: () => void): void {
    if (this.#hanging) this.#hanging.push(run);
    else run();
  }
}
