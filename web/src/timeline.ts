// The bar at the bottom: which frames can be gone back to, and which one is shown.

import { element } from "./dom";
import type { Session } from "./session";

export class Timeline {
  readonly root: HTMLElement;
  private readonly slider = element("input", { type: "range", min: 0, max: 1, value: 0, "aria-label": "Frame" });
  private readonly text = element("output", { class: "clock" });
  private scrubbing = false;

  constructor(private readonly session: Session) {
    this.slider.title = "Drag to look at an earlier moment";
    this.root = element("footer", { class: "timeline" }, this.slider, this.text);
    this.slider.addEventListener("input", () => {
      this.scrubbing = true;
      session.send({ do: "seek", frame: Number(this.slider.value) });
    });
    this.slider.addEventListener("change", () => (this.scrubbing = false));
    session.on("state", () => this.show());
    session.on("scene", () => this.show());
    session.on("frame", () => this.show());
  }

  private show(): void {
    const frame = this.session.newest;
    const shown = frame?.frame ?? 0;
    const [first, last] = this.session.kept;
    this.slider.min = String(first);
    this.slider.max = String(Math.max(last, shown, first + 1));
    if (!this.scrubbing) this.slider.value = String(shown);
    const full = Number(this.slider.max) - first;
    this.slider.style.setProperty("--done", `${(100 * (Number(this.slider.value) - first)) / full}%`);
    this.text.textContent = `${(frame?.time ?? 0).toFixed(2)} s · frame ${shown}`;
  }
}
