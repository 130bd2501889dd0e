// Where messages come from: the running program over a WebSocket, or a recording inside the page.

import { decodeFrame, type Command, type Frame, type Tell } from "./protocol";

export type Connection = "open" | "lost";

/** What a source tells the page. */
export interface Listener {
  tell(message: Tell): void;
  frame(frame: Frame): void;
  connection(state: Connection): void;
}

export interface Source {
  /** Whether the page plays back what was recorded: nothing can be changed, and no overlay data comes along. */
  readonly recorded: boolean;
  start(listener: Listener): void;
  send(command: Command): void;
}

const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 4000;

/** The program that serves this page. Reconnects by itself. */
export class LiveSource implements Source {
  readonly recorded = false;
  private socket: WebSocket;
  private retry = FIRST_RETRY_MS;

  /** Connects at once: the page is put together meanwhile. */
  constructor(private readonly address: string) {
    this.socket = new WebSocket(address);
  }

  start(listener: Listener): void {
    const { socket } = this;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => listener.connection("open");
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      this.retry = FIRST_RETRY_MS;
      try {
        if (typeof event.data === "string") listener.tell(JSON.parse(event.data) as Tell);
        else listener.frame(decodeFrame(event.data));
      } catch (error) {
        console.error(error);
        listener.tell({ tell: "error", message: `The page could not read a message: ${String(error)}` });
      }
    };
    socket.onclose = () => {
      listener.connection("lost");
      setTimeout(() => {
        this.socket = new WebSocket(this.address);
        this.start(listener);
      }, this.retry);
      this.retry = Math.min(2 * this.retry, LAST_RETRY_MS);
    };
  }

  send(command: Command): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}

/** The address of the stream beside the page at `page`, with the same token. */
export function liveAddress(page: Location): string {
  const token = new URLSearchParams(page.search).get("token") ?? "";
  return `ws://${page.host}/live?token=${encodeURIComponent(token)}`;
}
