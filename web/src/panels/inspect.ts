// The tab that says everything about what was clicked.

import type { Bodies } from "../bodies";
import { element, short, vectorText } from "../dom";
import type { Overlays } from "../overlays/all";
import { contactsOf } from "../overlays/contacts";
import type { InspectTell } from "../protocol";
import type { Session } from "../session";
import type { Tab } from "../sidebar";

const REFRESH_MS = 250;

export class Inspect implements Tab {
  readonly name = "Inspect";
  readonly root = element("section");
  private readonly empty = element(
    "p",
    { class: "note" },
    "Click a body to see what the engine knows of it. With contacts drawn, click a contact.",
  );
  private visible = false;

  constructor(
    private readonly session: Session,
    private readonly bodies: Bodies,
    private readonly overlays: Overlays,
  ) {
    this.root.append(this.empty);
    session.on("select", () => this.ask());
    session.on("state", () => {
      if (this.visible && !session.playing) this.ask();
    });
    session.on("inspect", (body) => {
      const chosen = session.selection;
      if (chosen?.kind === "body" && chosen.body === body.body) this.showBody(body);
    });
    setInterval(() => {
      if (this.visible && session.playing) this.ask();
    }, REFRESH_MS);
  }

  shown(visible: boolean): void {
    this.visible = visible;
    if (visible) this.ask();
  }

  private ask(): void {
    const chosen = this.session.selection;
    this.overlays.need(this.name, "contacts", chosen?.kind === "contact");
    if (chosen === null) this.root.replaceChildren(this.empty);
    else if (chosen.kind === "contact") this.showContact(chosen.slots, chosen.index);
    else if (this.session.source.recorded) this.showRecorded(chosen.body);
    else this.session.send({ do: "inspect", body: chosen.body });
  }

  private showBody(body: InspectTell): void {
    const rows: [string, string][] = [
      ["kind", body.kind],
      ["id", String(body.id)],
      ["mass", body.mass === null ? "infinite" : `${short(body.mass)} kg`],
      ["position", `${vectorText(body.position)} m`],
      ["rotation", vectorText(body.rotation)],
      ["velocity", `${vectorText(body.velocity)} m/s`],
      ["spin", `${vectorText(body.angular_velocity)} rad/s`],
      ["asleep", body.asleep ? "yes" : "no"],
      ["island", body.island === null ? "none" : String(body.island)],
    ];
    const clicked = this.session.selection?.kind === "body" ? this.session.selection.slot : null;
    const shapes = body.colliders.map((collider) =>
      element(
        "li",
        collider.slot === clicked && body.colliders.length > 1 ? { class: "clicked" } : {},
        element("b", {}, collider.shape),
        ` slot ${collider.slot}, friction ${short(collider.friction)}, restitution ${short(collider.restitution)}`,
        collider.density === null ? "" : `, ${short(collider.density)} kg/m³`,
        collider.sensor ? ", sensor" : "",
      ),
    );
    const own = new Set(body.colliders.map(({ slot }) => slot));
    const contacts = body.contacts.map((contact) => {
      const other = own.has(contact.slots[0]) ? contact.slots[1] : contact.slots[0];
      return element(
        "li",
        {},
        element("b", {}, `with ${this.bodies.slotName(other)}`),
        ` depth ${short(contact.depth * 1000)} mm, impulse ${short(contact.impulse)} N s, `,
        `normal ${vectorText(contact.normal)}, ${contact.features.join(" on ")}`,
        this.microscopeButton(contact.slots),
      );
    });
    const sensed = body.sensed.map(({ sensor, other }) => {
      const text = own.has(sensor) ? `holds ${this.bodies.slotName(other)}` : `is in ${this.bodies.slotName(sensor)}`;
      return element("li", {}, text);
    });
    this.fill(body.name ?? `Body ${body.body}`, rows, [
      ["Shapes", shapes],
      ["Sensors", sensed],
      ["Contacts", contacts],
    ]);
  }

  private showRecorded(body: number): void {
    const description = this.bodies.descriptions[body]!;
    const frame = this.session.newest;
    const position =
      frame === null ? [] : [0, 1, 2].map((axis) => frame.positions[3 * body + axis]! + frame.origin[axis]!);
    this.fill(
      description.name ?? `Body ${body}`,
      [
        ["kind", description.kind],
        ["position", `${vectorText(position)} m`],
      ],
      [],
    );
  }

  private showContact(slots: [number, number], index: number): void {
    const frame = this.session.newest;
    const all = frame === null ? [] : contactsOf(frame, this.bodies);
    const same = (contact: { slots: [number, number] }) =>
      contact.slots[0] === slots[0] && contact.slots[1] === slots[1];
    const nth = all[index];
    const contact = nth !== undefined && same(nth) ? nth : all.find(same);
    const names = slots.map((slot) => this.bodies.slotName(slot));
    const rows: [string, string][] = [["between", `${names[0]} and ${names[1]}`]];
    if (contact === undefined) rows.push(["now", "no longer touching"]);
    else {
      rows.push(
        ["point", `${vectorText(contact.point.toArray().map((v, axis) => v + this.bodies.origin[axis]!))} m`],
        ["normal", vectorText(contact.normal.toArray())],
        ["depth", `${short(contact.depth * 1000)} mm`],
        ["impulse", `${short(contact.impulse)} N s`],
        ["features", contact.features.join(" on ")],
      );
    }
    this.fill("Contact", rows, []);
    // First, where the eye is: a contact that looks wrong is looked into from here.
    if (!this.session.source.recorded) this.root.querySelector("h2")!.after(this.microscopeButton(slots, "Look at it under the microscope"));
  }

  private microscopeButton(slots: [number, number], text = "Microscope"): HTMLElement {
    const look = () => this.session.send({ do: "microscope", slots });
    const main = text === "Microscope" ? "" : " wide main";
    return element("button", { type: "button", class: `plain${main}`, click: look }, text);
  }

  private fill(title: string, rows: [string, string][], lists: [string, HTMLElement[]][]): void {
    const table = rows.map(([name, value]) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)),
    );
    const parts = lists.flatMap(([name, entries]) =>
      entries.length === 0 ? [] : [element("h3", {}, name), element("ul", { class: "entries" }, ...entries)],
    );
    this.root.replaceChildren(element("h2", {}, title), element("table", { class: "facts" }, ...table), ...parts);
  }
}
