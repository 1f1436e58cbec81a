import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { LatencyHistogram } from "../latency-histogram.ts";
import { type Address, answerTimeoutMs, LoadError, type LoadResult } from "../load.ts";
import { readAnswer } from "../ws-answer.ts";
import { connectWebSocket } from "../ws-connect.ts";
import { controlFrame, FrameReader, opcodes, textFrame } from "../ws-frames.ts";
import { type Dialect, moveText } from "./dialects.ts";
import { MovesUnderWay } from "./moves-under-way.ts";
import type { Turn } from "./view-reader.ts";

const roomsOpenedAtOnce = 20;
const paceTickMs = 1;
const openPollMs = 10;
const idByte = 0x69;

type Seat = {
  readonly room: Room;
  readonly number: number;
  socket: Socket | undefined;
  /** The last version seen on this connection. */
  version: number;
  /** Called when the messages sent on joining are answered. */
  onAnswer: (() => void) | undefined;
};

type Room = {
  readonly name: string;
  readonly seats: Seat[];
  readonly moves: MovesUnderWay;
  /** The player's next turn, as far as this connection knows. */
  turn: Turn | undefined;
  mover: Seat | undefined;
};

/**
 * Counts every move sent, with the time until the last one was seen. About a thousand are under way when a slice
 * ends, and leaving them out would distort the result.
 */
export type ArenaResult = LoadResult & {
  /** Bytes received per move by each person in the arena, framing included. */
  readonly bytesEach: number;
};

type Run = {
  readonly latency: LatencyHistogram;
  readonly startedAt: number;
  readonly endsAt: number;
  sent: number;
  inFlight: number;
  bytes: number;
  /** A player may move now. */
  readonly onTurn: (room: Room, now: number) => void;
  /** Everyone in the room has seen all moves under way. */
  readonly onSeen: (room: Room, now: number) => void;
  readonly fail: (error: Error) => void;
  readonly finish: () => void;
};

type Plan = Pick<Run, "onTurn" | "onSeen"> & { readonly begin: () => void };

/** People in arenas, each on their own WebSocket. Players move in turn, and everyone watches. */
export class ArenaLoad {
  readonly #address: Address;
  readonly #dialect: Dialect;
  readonly #rooms: readonly Room[];
  readonly #perRoom: number;
  readonly #keyStart = randomBytes(4).toString("hex");
  #moves = 0;
  #receivedAt = 0;
  #run: Run | undefined;
  #failed: Error | undefined;

  constructor(address: Address, dialect: Dialect, names: readonly string[], perRoom: number) {
    this.#address = address;
    this.#dialect = dialect;
    this.#perRoom = perRoom;
    this.#rooms = names.map((name) => ({
      name,
      seats: [],
      moves: new MovesUnderWay(perRoom),
      turn: undefined,
      mover: undefined,
    }));
  }

  /** Connects everyone, and waits until every room has a player to move. */
  async open(): Promise<void> {
    let next = 0;
    const openSome = async (): Promise<void> => {
      while (next < this.#rooms.length) {
        const number = next++;
        const room = this.#rooms[number];
        const seats = Array.from({ length: this.#perRoom }, (_, seat) => this.#enter(room, number, seat));
        room.seats.push(...(await Promise.all(seats)));
        if (this.#dialect.opening) [room.turn, room.mover] = [this.#dialect.opening, room.seats[0]];
      }
    };
    await Promise.all(Array.from({ length: roomsOpenedAtOnce }, openSome));
    const deadline = performance.now() + answerTimeoutMs;
    while (this.#rooms.some(({ turn }) => turn === undefined)) {
      if (this.#failed) throw this.#failed;
      if (performance.now() > deadline) throw new LoadError("In some arenas no player was told to move.");
      await new Promise((resolve) => setTimeout(resolve, openPollMs));
    }
  }

  /** Every player moves as soon as it is their turn, until the time is over. */
  saturate(durationMs: number): Promise<ArenaResult> {
    return this.#start(durationMs, (run) => {
      const onTurn = (room: Room, now: number): void => {
        if (now < run.endsAt) this.#move(room, now);
      };
      const onSeen = (): void => {
        if (run.inFlight === 0) run.finish();
      };
      const begin = (): void => {
        for (const room of this.#rooms) onTurn(room, run.startedAt);
      };
      return { onTurn, onSeen, begin };
    });
  }

  /** Moves are due at fixed times, in the arena that has rested longest. Latency counts from the due time. */
  pace(perSecond: number, durationMs: number): Promise<ArenaResult> {
    const total = Math.floor((perSecond * durationMs) / 1000);
    const resting = [...this.#rooms];
    return this.#start(Number.POSITIVE_INFINITY, (run) => {
      const moveDue = (now: number): void => {
        const due = Math.min(total, Math.floor(((now - run.startedAt) * perSecond) / 1000));
        while (run.sent < due && resting.length > 0)
          this.#move(resting.shift() as Room, run.startedAt + (run.sent * 1000) / perSecond);
        if (run.sent === total && run.inFlight === 0) run.finish();
      };
      const tick = (): void => {
        if (this.#run !== run || run.sent === total) return;
        moveDue(performance.now());
        setTimeout(tick, paceTickMs);
      };
      const onSeen = (room: Room, now: number): void => {
        resting.push(room);
        moveDue(now);
      };
      return { onTurn() {}, onSeen, begin: tick };
    });
  }

  close(): void {
    this.#run = undefined;
    for (const { seats } of this.#rooms) for (const { socket } of seats) socket?.destroy();
  }

  #start(durationMs: number, plan: (run: Run) => Plan): Promise<ArenaResult> {
    if (this.#failed) throw this.#failed;
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      this.#receivedAt = startedAt;
      const watch = setInterval(() => {
        if (performance.now() - this.#receivedAt < answerTimeoutMs) return;
        run.fail(new LoadError(`No message for ${answerTimeoutMs / 1000} s.`));
      }, 1000);
      const end = (): void => {
        clearInterval(watch);
        this.#run = undefined;
      };
      const run: Run = {
        latency: new LatencyHistogram(),
        startedAt,
        endsAt: startedAt + durationMs,
        ...{ sent: 0, inFlight: 0, bytes: 0 },
        onTurn: (room, now) => planned.onTurn(room, now),
        onSeen: (room, now) => planned.onSeen(room, now),
        fail: (error) => {
          end();
          reject(error);
        },
        finish: () => {
          end();
          const elapsedMs = this.#receivedAt - startedAt;
          const bytesEach = run.bytes / (run.sent * this.#perRoom);
          resolve({ answered: run.sent, elapsedMs, latency: run.latency, bytesEach });
        },
      };
      const planned = plan(run);
      this.#run = run;
      planned.begin();
    });
  }

  #move(room: Room, at: number): void {
    const { turn, mover } = room;
    if (turn === undefined || mover === undefined) throw new LoadError("An arena has no player to move.");
    room.turn = undefined;
    room.mover = undefined;
    const move = turn.moves[Math.floor(Math.random() * turn.moves.length)];
    const run = this.#run as Run;
    run.sent++;
    run.inFlight++;
    room.moves.send(mover.version + 1, at);
    const request = { number: ++this.#moves, keyStart: this.#keyStart };
    mover.socket?.write(textFrame(moveText(room.name, turn, move, request)));
  }

  async #enter(room: Room, roomNumber: number, number: number): Promise<Seat> {
    const seat: Seat = { room, number, socket: undefined, version: 0, onAnswer: undefined };
    const reader = new FrameReader((opcode, bytes, start, end) =>
      this.#frame(seat, opcode, bytes, start, end),
    );
    const socket = await connectWebSocket(this.#address, this.#dialect.path(roomNumber), {
      received: (bytes) => {
        this.#receivedAt = performance.now();
        if (this.#run) this.#run.bytes += bytes.length;
        reader.push(bytes);
      },
      failed: (error) => this.#fail(error),
    });
    seat.socket = socket;
    for (const text of this.#dialect.greetings(roomNumber, number)) {
      const answered = new Promise<void>((resolve) => {
        seat.onAnswer = resolve;
      });
      socket.write(textFrame(text));
      await answered;
    }
    return seat;
  }

  #frame(seat: Seat, opcode: number, bytes: Buffer, start: number, end: number): void {
    if (opcode === opcodes.ping) seat.socket?.write(controlFrame(opcodes.pong, bytes.subarray(start, end)));
    if (opcode === opcodes.close) {
      const reason = bytes.toString("utf8", start + 2, end);
      throw new LoadError(`The server closed a WebSocket: ${reason || "no reason given"}`);
    }
    if (opcode !== opcodes.text) return;
    if (bytes[start + 2] === idByte) this.#answer(seat, bytes, start, end);
    else this.#see(seat, bytes, start, end);
  }

  #answer(seat: Seat, bytes: Buffer, start: number, end: number): void {
    const answer = readAnswer(bytes, start, end);
    if (answer && answer.status !== 200)
      throw new LoadError(`Answered ${answer.status}: ${bytes.toString("utf8", start, end)}`);
    seat.onAnswer?.();
  }

  #see(seat: Seat, bytes: Buffer, start: number, end: number): void {
    const { version, turn } = this.#dialect.read(seat.number, bytes, start, end);
    const { room } = seat;
    const run = this.#run;
    const first = seat.version + 1;
    seat.version = version;
    if (turn) {
      room.turn = turn;
      room.mover = seat;
      run?.onTurn(room, this.#receivedAt);
    }
    for (let seen = first; seen <= version && run; seen++) {
      const sentAt = room.moves.see(seen);
      if (sentAt === undefined) continue;
      run.inFlight--;
      run.latency.record((this.#receivedAt - sentAt) * 1000);
      run.onSeen(room, this.#receivedAt);
    }
  }

  #fail(error: Error): void {
    this.#failed ??= error;
    this.#run?.fail(error);
  }
}
