// What an overlay is: a switch, a legend, and something that it draws or colours from a frame.

import type * as THREE from "three";
import type { Bodies } from "../bodies";
import type { BoundsTell, Frame } from "../protocol";

export interface LegendEntry {
  colour: string;
  text: string;
}

export interface Overlay {
  readonly name: string;
  readonly label: string;
  readonly group: "Broad phase" | "Bounds" | "Contacts" | "Bodies";
  /** The section of a frame that it needs, if it needs one. */
  readonly section: string | null;
  /** The bounding volume that it draws, if it draws one: the program fits it when it is asked to. */
  readonly volume?: string;
  readonly legend: readonly LegendEntry[];
  /** Below the legend: what it says of the frame. */
  readonly status?: HTMLElement;
  /** What it adds to the scene; hidden while the overlay is off. */
  readonly objects: readonly THREE.Object3D[];
  /** Takes the bounding volumes that were asked for. */
  take?(bounds: BoundsTell): void;
  /** Draws the frame; called for each one while the overlay is on. */
  draw?(frame: Frame, bodies: Bodies): void;
  /** Colours a body; called after `draw`. */
  tint?(frame: Frame, body: number): THREE.Color | null;
}
