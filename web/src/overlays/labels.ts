// Short texts over points of the scene, as many as can be read: none covers another.

import * as THREE from "three";
import { element } from "../dom";
import type { Stage } from "../stage";

export interface Label {
  /** The same from frame to frame. */
  key: string;
  at: THREE.Vector3;
  text: string;
}

/** More labels than this hide the scene. */
const MOST = 120;
/** As in the style sheet. */
const [FONT_SIZE, HEIGHT, PADDING] = [11, 15, 6];
/** A label that is seen yields only to what is nearer by this much, so that equals do not take turns. */
const FAVOUR = 0.8;
/** Pixels of room that a label needs around it before it is seen; once it is, none. */
const GAP = 4;

/** Where a label would be in the window, in pixels, and how far its point is from the camera. */
interface Place {
  label: Label;
  x: number;
  y: number;
  width: number;
  rank: number;
  wasSeen: boolean;
}

export class Labels {
  /** Stands for the texts in the scene: they are seen while it is. */
  readonly object = new THREE.Object3D();
  private readonly layer = element("div", { class: "labels", "aria-hidden": "true" });
  private labels: Label[] = [];
  private readonly seen = new Map<string, HTMLElement>();
  private readonly widths = new Map<string, number>();
  private readonly ruler = document.createElement("canvas").getContext("2d")!;

  constructor(private readonly stage: Stage) {
    stage.canvas.parentElement!.append(this.layer);
  }

  set(labels: Label[]): void {
    this.labels = labels;
  }

  /** Follows the camera; called for each picture. */
  place(): void {
    this.layer.hidden = !this.object.visible;
    if (this.layer.hidden) return;
    const chosen = choose(this.places());
    const keys = new Set(chosen.map(({ label }) => label.key));
    for (const [key, span] of this.seen) {
      if (keys.has(key)) continue;
      span.remove();
      this.seen.delete(key);
    }
    for (const { label, x, y } of chosen) {
      const span = this.seen.get(label.key) ?? this.layer.appendChild(element("span", { "data-key": label.key }));
      this.seen.set(label.key, span);
      if (span.textContent !== label.text) span.textContent = label.text;
      span.style.transform = `translate(${x}px, ${y}px)`;
    }
  }

  /** All whose point is in the window. */
  private places(): Place[] {
    const { camera, canvas } = this.stage;
    const { width, height } = canvas.getBoundingClientRect();
    const at = new THREE.Vector3();
    const places = [];
    for (const label of this.labels) {
      at.copy(label.at).project(camera);
      if (at.z >= 1 || Math.abs(at.x) > 1 || Math.abs(at.y) > 1) continue;
      const wasSeen = this.seen.has(label.key);
      const distance = camera.position.distanceTo(label.at);
      places.push({
        label,
        x: ((at.x + 1) / 2) * width,
        y: ((1 - at.y) / 2) * height,
        width: this.widthOf(label.text),
        rank: wasSeen ? FAVOUR * distance : distance,
        wasSeen,
      });
    }
    return places;
  }

  private widthOf(text: string): number {
    let width = this.widths.get(text);
    if (width === undefined) {
      this.ruler.font = `${FONT_SIZE}px ${getComputedStyle(this.layer).fontFamily}`;
      width = this.ruler.measureText(text).width + PADDING;
      this.widths.set(text, width);
    }
    return width;
  }
}

/** The nearest first, without those that would cover one before them. */
function choose(places: Place[]): Place[] {
  const chosen: Place[] = [];
  for (const place of places.sort((a, b) => a.rank - b.rank)) {
    if (chosen.length === MOST) break;
    if (!chosen.some((other) => covers(place, other))) chosen.push(place);
  }
  return chosen;
}

function covers(place: Place, other: Place): boolean {
  const gap = place.wasSeen ? 0 : GAP;
  return (
    place.x < other.x + other.width + gap &&
    other.x < place.x + place.width + gap &&
    Math.abs(place.y - other.y) < HEIGHT + gap
  );
}
