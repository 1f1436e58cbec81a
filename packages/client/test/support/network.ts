import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A proxy between client and server that can cut connections and drop the server's messages. */
export class Network {
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly near: Socket; readonly far: Socket }>();
  #port: number;
  /** Silently drops everything that the server sends from now on. */
  isSilent = false;
  /** Cuts the connection at the server's next message, before it arrives. */
  answersToLose = 0;
  opened = 0;

  private constructor(port: number) {
    this.#port = port;
    this.#server = createServer((near) => this.#accept(near));
  }

  static async to(url: string): Promise<Network> {
    const network = new Network(Number(new URL(url).port));
    await new Promise<void>((resolve) => network.#server.listen(0, "127.0.0.1", resolve));
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get open(): number {
    return this.#pairs.size;
  }

  /** Sends new connections to another server. */
  lead(url: string): void {
    this.#port = Number(new URL(url).port);
  }

  cut(): void {
    for (const pair of [...this.#pairs]) this.#end(pair);
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #accept(near: Socket): void {
    this.opened++;
    const far = connect(this.#port, "127.0.0.1");
    const pair = { near, far };
    this.#pairs.add(pair);
    near.setNoDelay();
    far.setNoDelay();
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      if (this.answersToLose > 0) {
        this.answersToLose--;
        this.#end(pair);
      } else if (!this.isSilent) {
        near.write(bytes);
      }
    });
    for (const socket of [near, far]) {
      socket.on("error", () => this.#end(pair));
      socket.on("close", () => this.#end(pair));
    }
  }

  #end(pair: { near: Socket; far: Socket }): void {
    this.#pairs.delete(pair);
    pair.near.destroy();
    pair.far.destroy();
  }
}
