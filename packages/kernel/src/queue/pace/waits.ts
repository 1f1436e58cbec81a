import type { EstimateSeconds } from "./estimate.ts";

/** The weight of each new wait in the average, once there are enough. */
const weightMin = 1 / 64;

export interface WaitAverages {
  /** Admissions in the averages. */
  readonly count: number;
  readonly waitMs: number;
  /** Admissions of people who had been given an estimate. */
  readonly estimated: number;
  /** How far the middle of the estimate was from the actual wait, as a share of the longer of the two: 0 to 1. */
  readonly errorShare: number;
  /** The share of people whose actual wait was within the estimated range. */
  readonly withinShare: number;
  /** Ended sessions, and how long they lasted. */
  readonly stays: number;
  readonly stayMs: number;
}

const none: WaitAverages = {
  count: 0,
  waitMs: 0,
  estimated: 0,
  errorShare: 0,
  withinShare: 0,
  stays: 0,
  stayMs: 0,
};

/** How long recently admitted people waited and stayed, and how accurate their estimates were (ST1, ST2). */
export class Waits {
  #averages: WaitAverages;

  constructor(averages = none) {
    // Snapshots of older versions have errors as a share of the actual wait, which are unbounded.
    this.#averages = { ...averages, errorShare: Math.min(1, averages.errorShare) };
  }

  get averages(): WaitAverages {
    return this.#averages;
  }

  addStay(stayMs: number): void {
    const stays = this.#averages.stays + 1;
    this.#averages = { ...this.#averages, stays, stayMs: blend(this.#averages.stayMs, stayMs, stays) };
  }

  add(waitMs: number, estimate: EstimateSeconds | null): void {
    const now = this.#averages;
    const count = now.count + 1;
    const averages = { ...now, count, waitMs: blend(now.waitMs, waitMs, count) };
    if (estimate === null) {
      this.#averages = averages;
      return;
    }
    const seconds = waitMs / 1000;
    const estimated = now.estimated + 1;
    const middle = (estimate.low + estimate.high) / 2;
    // As a share of the longer: relative to the wait alone, one short wait would show an error of thousands of per
    // cent.
    const error = Math.abs(seconds - middle) / Math.max(seconds, middle, 10);
    const within = seconds >= estimate.low - 1 && seconds <= estimate.high + 1 ? 1 : 0;
    this.#averages = {
      ...averages,
      estimated,
      errorShare: blend(now.errorShare, error, estimated),
      withinShare: blend(now.withinShare, within, estimated),
    };
  }
}

function blend(average: number, value: number, count: number): number {
  return average + (value - average) * Math.max(weightMin, 1 / count);
}
