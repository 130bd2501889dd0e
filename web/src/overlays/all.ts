// Every overlay, in the order of the switches, and which of them are on.

import type { Bodies } from "../bodies";
import type { Session } from "../session";
import type { Stage } from "../stage";
import { theme } from "../theme";
import { ahead } from "./ahead";
import { boxes, swept, volumes } from "./bounds";
import { contacts, depth, features, impacts, impulses } from "./contacts";
import { Labels } from "./labels";
import { centers, islands, sleep, velocities } from "./motion";
import type { Overlay } from "./overlay";
import { close, colours, pairs } from "./pairs";
import { structure } from "./structure";

export class Overlays {
  readonly all: readonly Overlay[];
  private readonly on = new Set<string>();
  private readonly needs = new Map<string, string>();
  /** Bounding volumes that the program was asked for, of these bodies. */
  private readonly asked = new Set<string>();
  private readonly labels: Labels;
  private tinted = false;

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly bodies: Bodies,
  ) {
    this.labels = new Labels(stage);
    this.all = [
      contacts(),
      depth(),
      impulses(),
      features(this.labels),
      impacts(),
      colours(),
      boxes(),
      structure(),
      pairs(),
      close(),
      ...volumes(session.source.missing("bounds") !== null),
      swept(),
      velocities(),
      ahead(),
      centers(),
      islands(),
      sleep(),
    ];
    for (const overlay of this.all) {
      for (const object of overlay.objects) {
        object.visible = false;
        stage.scene.add(object);
      }
    }
    session.on("hello", () => this.ask());
    session.on("scene", () => {
      this.asked.clear();
      this.ask();
    });
    session.on("bounds", (bounds) => {
      for (const overlay of this.all) overlay.take?.(bounds);
      this.draw();
    });
  }

  isOn(name: string): boolean {
    return this.on.has(name);
  }

  switch(name: string, on: boolean): void {
    if (on) this.on.add(name);
    else this.on.delete(name);
    this.ask();
    this.draw();
  }

  /** Asks for a section on behalf of a panel, whether or not an overlay shows it. */
  need(panel: string, section: string, wanted: boolean): void {
    const had = this.needs.has(panel);
    if (wanted) this.needs.set(panel, section);
    else this.needs.delete(panel);
    if (had !== wanted) this.ask();
  }

  /** Draws what is on for the newest frame. */
  draw(): void {
    const frame = this.session.newest;
    if (frame === null) return;
    for (const overlay of this.all) {
      if (this.on.has(overlay.name)) overlay.draw?.(frame, this.bodies);
      else for (const object of overlay.objects) object.visible = false;
    }
    this.labels.object.visible = this.on.has("features");
    const tint = this.all.filter(({ name }) => this.on.has(name)).findLast((overlay) => overlay.tint !== undefined);
    if (tint !== undefined || this.tinted) {
      this.bodies.tint((body) => {
        const fixed = this.bodies.descriptions[body]?.kind === "fixed";
        return fixed ? null : (tint?.tint?.(frame, body) ?? null);
      }, theme());
      this.tinted = tint !== undefined;
    }
    this.stage.touch();
  }

  placeLabels(): void {
    this.labels.place();
  }

  private ask(): void {
    const sections = new Set<string>(this.needs.values());
    for (const { name, section } of this.all) if (section !== null && this.on.has(name)) sections.add(section);
    this.session.send({ do: "overlays", on: [...sections] });
    for (const { name, volume } of this.all) {
      if (volume === undefined || !this.on.has(name) || this.asked.has(volume)) continue;
      this.asked.add(volume);
      this.session.send({ do: "bounds", volume });
    }
  }
}
