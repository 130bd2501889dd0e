// What the keys and the mouse do.

import { element } from "./dom";

const KEYS: [string, string][] = [
  ["Space or P", "play, pause"],
  ["→ or .", "one frame on"],
  ["← or ,", "one frame back"],
  ["R", "restart the scene"],
  ["[ and ]", "previous and next scene"],
  ["B", "shoot a ball to where the mouse is"],
  ["F", "show all of the scene"],
  ["S", "save what has happened as a recording"],
  ["L", "copy a link to this scene, frame and camera"],
  ["T", "light or dark"],
  ["1 2 3 4", "overlays, plots, inspect, microscope"],
  ["Escape", "forget the selection, close this"],
];

const MOUSE: [string, string][] = [
  ["drag a body", "pulls it"],
  ["drag elsewhere", "turns the camera; right button moves it, wheel comes closer"],
  ["click", "inspects a body, or a contact where contacts are drawn"],
  ["Shift-click another", "puts both under the microscope"],
];

export class Help {
  private readonly dialog: HTMLDialogElement;

  constructor() {
    const rows = (entries: [string, string][]) =>
      element("dl", {}, ...entries.flatMap(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]));
    this.dialog = element(
      "dialog",
      { class: "help", "aria-label": "Help" },
      element("h2", {}, "Keys"),
      rows(KEYS),
      element("h2", {}, "Mouse"),
      rows(MOUSE),
      element("form", { method: "dialog" }, element("button", { class: "plain" }, "Close")),
    );
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }
}
