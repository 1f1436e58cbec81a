import type { World } from "./world.ts";

/** The disk of a node that has the store for itself. Now and then everything on it fails for a while, or hangs. */
export class Disk {
  readonly #world: World;
  /** What goes on when it does not hang any more; undefined while it does not. */
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

  /** Now, or when it goes on. */
  when(run: () => void): void {
    if (this.#hanging) this.#hanging.push(run);
    else run();
  }
}
