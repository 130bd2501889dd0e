// Where messages come from: the running program over a WebSocket, or a recording inside the page.

import { decodeFrame, type Command, type Frame, type Tell } from "./protocol";

/**
 * Whether the program can be heard. It is `gone` if nothing answers where it was, and `replaced` if what answers there
 * knows nothing of this page: it was started anew and has another token.
 */
export type Connection = "open" | "lost" | "gone" | "replaced";

/** What a source tells the page. */
export interface Listener {
  tell(message: Tell): void;
  frame(frame: Frame): void;
  connection(state: Connection): void;
}

export interface Source {
  /** Whether the page plays back what was recorded: nothing can be changed, and not all that overlays show is kept. */
  readonly recorded: boolean;
  /** How many frames of the engine there are from one to the next that it has. */
  readonly apart: number;
  /** Why frames cannot have a section; null if they can. */
  missing(section: string): string | null;
  start(listener: Listener): void;
  send(command: Command): void;
}

const FIRST_RETRY_MS = 300;
const LAST_RETRY_MS = 4000;

/** The program that serves this page. Reconnects by itself. */
export class LiveSource implements Source {
  readonly recorded = false;
  readonly apart = 1;
  private socket: WebSocket;
  private retry = FIRST_RETRY_MS;

  /** Connects at once: the page is put together meanwhile. */
  constructor(
    private readonly address: string,
    private readonly page: string,
  ) {
    this.socket = new WebSocket(address);
  }

  missing(): null {
    return null;
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
      setTimeout(() => void this.connectAgain(listener), this.retry);
      this.retry = Math.min(2 * this.retry, LAST_RETRY_MS);
    };
  }

  /** Asks for the page first: a WebSocket does not say why it was refused, and complains in the console. */
  private async connectAgain(listener: Listener): Promise<void> {
    const answer = await fetch(this.page, { cache: "no-store" }).catch(() => null);
    if (answer?.ok) {
      this.socket = new WebSocket(this.address);
      this.start(listener);
      return;
    }
    listener.connection(answer === null ? "gone" : "replaced");
    setTimeout(() => void this.connectAgain(listener), this.retry);
    this.retry = Math.min(2 * this.retry, LAST_RETRY_MS);
  }

  send(command: Command): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}

/** The address of the page itself, with the token alone. */
export function pageAddress(page: Location): string {
  return `${page.origin}/?token=${encodeURIComponent(new URLSearchParams(page.search).get("token") ?? "")}`;
}

/** The address of the stream beside the page at `page`, with the same token. */
export function liveAddress(page: Location): string {
  const token = new URLSearchParams(page.search).get("token") ?? "";
  return `ws://${page.host}/live?token=${encodeURIComponent(token)}`;
}
