// Short messages that go away by themselves, and the one about a lost connection, which does not.

import { element } from "./dom";
import type { Session } from "./session";
import type { Connection } from "./source";

const SECONDS = 6;

/** What is said as long as the program cannot be heard. */
const UNHEARD: Record<Exclude<Connection, "open">, string> = {
  lost: "Connection to carom lost. Trying again…",
  gone:
    "Connection to carom lost: nothing answers. Trying again… If the program has ended, " +
    "run `carom view` again and open the address that it prints.",
  replaced:
    "carom was started anew and this page's address is not valid any more. " +
    "Open the address that `carom view` has printed now.",
};

export class Toasts {
  private readonly list = element("div", { class: "toasts", role: "status", "aria-live": "polite" });
  private readonly unheard = element("div", { class: "toast lost", hidden: true });

  constructor(parent: HTMLElement, session: Session) {
    parent.append(this.list);
    this.list.append(this.unheard);
    session.on("error", ({ message }) => this.show(message, "error"));
    session.on("note", ({ message }) => this.show(message, "note"));
    session.on("connection", (state) => {
      this.unheard.hidden = state === "open";
      this.unheard.textContent = state === "open" ? "" : UNHEARD[state];
      document.body.classList.toggle("unheard", state !== "open");
    });
  }

  show(text: string, kind: "error" | "note"): void {
    const toast = element("div", { class: `toast ${kind}` }, text);
    this.list.append(toast);
    setTimeout(() => toast.remove(), SECONDS * 1000);
  }
}
