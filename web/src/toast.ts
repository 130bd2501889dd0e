// Short messages that go away by themselves, and the one about a lost connection, which does not.

import { element } from "./dom";
import type { Session } from "./session";

const SECONDS = 6;

export class Toasts {
  private readonly list = element("div", { class: "toasts", role: "status", "aria-live": "polite" });
  private readonly lost = element(
    "div",
    { class: "toast lost", hidden: true },
    "Connection to carom lost. Trying again… Is `carom view` still running?",
  );

  constructor(parent: HTMLElement, session: Session) {
    parent.append(this.list);
    this.list.append(this.lost);
    session.on("error", ({ message }) => this.show(message, "error"));
    session.on("connection", (state) => (this.lost.hidden = state !== "lost"));
  }

  show(text: string, kind: "error" | "note"): void {
    const toast = element("div", { class: `toast ${kind}` }, text);
    this.list.append(toast);
    setTimeout(() => toast.remove(), SECONDS * 1000);
  }
}
