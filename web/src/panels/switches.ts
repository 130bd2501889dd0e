// The tab with a switch and a legend for each overlay.

import { element } from "../dom";
import type { Overlays } from "../overlays/all";
import type { Session } from "../session";
import type { Tab } from "../sidebar";

export class Switches implements Tab {
  readonly name = "Overlays";
  readonly root = element("section");

  constructor(session: Session, overlays: Overlays) {
    const groups = new Map<string, HTMLElement>();
    const reasons = new Set<string>();
    for (const { name, label, group, legend, section, volume, status } of overlays.all) {
      const box = element("input", {
        type: "checkbox",
        id: `overlay-${name}`,
        "data-overlay": name,
        "data-section": section ?? "",
      });
      const entries = legend.map(({ colour, text }) => {
        const swatch = element("i", { class: "swatch", style: `background:${colour}` });
        return element("li", {}, swatch, text);
      });
      const list = element("ul", { class: "legend", hidden: true }, ...entries, ...(status === undefined ? [] : [status]));
      box.addEventListener("change", () => {
        overlays.switch(name, box.checked);
        list.hidden = !box.checked;
      });
      const needed = section ?? (volume === undefined ? null : "bounds");
      const missing = needed === null ? null : session.source.missing(needed);
      box.disabled = missing !== null;
      const dot = element("i", { class: "swatch", style: `background:${legend[0]?.colour ?? "none"}` });
      const line = element("label", { for: box.id, class: "switch" }, box, label, dot);
      if (missing !== null) {
        line.title = missing;
        reasons.add(missing);
      }
      let field = groups.get(group);
      if (field === undefined) {
        field = element("fieldset", {}, element("legend", {}, group));
        groups.set(group, field);
      }
      field.append(line, list);
    }
    // Before them, where it is seen without scrolling.
    const notes = [...reasons].map((reason) => element("p", { class: "note" }, `Greyed: ${reason}.`));
    this.root.append(...notes, ...groups.values());
  }
}
