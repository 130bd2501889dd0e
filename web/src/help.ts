// What the keys and the mouse do.

import { element } from "./dom";

/** The key, what it does, and whether a running engine has to do it. */
type Entry = [key: string, text: string, live?: "live"];

const KEYS: Entry[] = [
  ["Space or P", "play, pause"],
  ["→ or .", "one frame on"],
  ["← or ,", "one frame back"],
  ["R", "restart the scene"],
  ["[ and ]", "previous and next scene", "live"],
  ["B", "shoot a ball to where the mouse is", "live"],
  ["F", "show all of the scene"],
  ["S", "save what has happened as a recording", "live"],
  ["L", "copy a link to this scene, frame and camera"],
  ["T", "light or dark"],
  ["1 2 3 4", "overlays, plots, inspect, microscope"],
  ["Escape", "forget the selection, close this"],
];

const MOUSE: Entry[] = [
  ["drag a body", "pulls it", "live"],
  ["drag elsewhere", "turns the camera; right button moves it, wheel comes closer"],
  ["click", "inspects a body, or a contact where contacts are drawn"],
  ["click a pair's line", "puts the pair under the microscope", "live"],
  ["Shift-click another", "puts both under the microscope", "live"],
];

export class Help {
  private readonly dialog: HTMLDialogElement;

  /** Where a recording is played, there is no engine. */
  constructor(recorded: boolean) {
    const rows = (entries: Entry[]) =>
      element(
        "dl",
        {},
        ...entries
          .filter(([, , live]) => !(recorded && live))
          .flatMap(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]),
      );
    this.dialog = element(
      "dialog",
      { class: "help", "aria-label": "Help", tabindex: -1 },
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
    else {
      this.dialog.showModal();
      // The button at the end would have the focus, and the first lines be out of sight.
      this.dialog.focus();
      this.dialog.scrollTop = 0;
    }
  }
}
