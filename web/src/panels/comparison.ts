// Every broad-phase structure on the boxes of this moment, and the picker that switches between them while running.

import { element } from "../dom";
import type { Session } from "../session";

const REFRESH_MS = 1000;

export class Comparison {
  readonly root = element("div", { class: "comparison" });
  private readonly picker = element("select", { "aria-label": "Broad phase", title: "Broad phase in use" });
  private readonly live = element("input", { type: "checkbox", id: "compare-live" });
  private readonly table = element("table");
  private readonly note = element("p", { class: "note" });
  private timer = 0;

  constructor(private readonly session: Session) {
    this.picker.addEventListener("change", () => session.send({ do: "broad", structure: this.picker.value }));
    this.live.addEventListener("change", () => this.refresh());
    const ask = element("button", { type: "button", class: "plain", click: () => session.send({ do: "compare" }) });
    ask.textContent = "Compare now";
    this.root.append(
      element("h3", {}, "Broad phase"),
      element("label", { class: "pick" }, "In use", this.picker),
      element("p", {}, ask, element("label", { for: this.live.id, class: "inline" }, this.live, "every second")),
      this.table,
      this.note,
    );
    session.on("hello", ({ structures }) => {
      this.root.hidden = structures.length === 0;
      this.picker.replaceChildren(...structures.map((name) => element("option", { value: name }, name)));
      this.showCurrent();
    });
    session.on("scene", () => {
      this.table.replaceChildren();
      this.note.textContent = "";
      this.showCurrent();
    });
    session.on("state", () => this.showCurrent());
    session.on("compare", ({ rows, boxes, moved }) => {
      this.fill(rows);
      const of = moved === 0 ? "no step has moved any" : `the last step moved ${moved.toLocaleString("en")}`;
      this.note.textContent = `${boxes.toLocaleString("en")} boxes; ${of}. Update: from the boxes that the step began with to those of now.`;
    });
  }

  shown(visible: boolean): void {
    if (!visible) this.live.checked = false;
    this.refresh();
  }

  private refresh(): void {
    clearInterval(this.timer);
    if (!this.live.checked) return;
    this.session.send({ do: "compare" });
    this.timer = setInterval(() => this.session.send({ do: "compare" }), REFRESH_MS);
  }

  private showCurrent(): void {
    if (this.session.structure !== null) this.picker.value = this.session.structure;
  }

  private fill(
    rows: { name: string; pairs_tested: number; pairs_true: number; build_ms: number; update_ms: number }[],
  ) {
    const fastest = Math.min(...rows.map(({ update_ms }) => update_ms));
    const head = ["pairs", "tested", "true", "build ms", "update ms"].map((text) => element("th", {}, text));
    const lines = rows.map(({ name, pairs_tested, pairs_true, build_ms, update_ms }) => {
      const cells = [String(pairs_tested), String(pairs_true), brief(build_ms), brief(update_ms)];
      return element(
        "tr",
        update_ms === fastest ? { class: "best", title: "Fastest update" } : {},
        element("th", { scope: "row" }, name),
        ...cells.map((text) => element("td", {}, text)),
      );
    });
    this.table.replaceChildren(element("tr", {}, ...head), ...lines);
  }
}

/** Three digits: more would be noise. */
function brief(milliseconds: number): string {
  return String(Number(milliseconds.toPrecision(3)));
}
