// What the end-to-end tests may ask of the page: `window.carom`.

import * as THREE from "three";
import type { Bodies } from "./bodies";
import type { Microscope } from "./microscope/tab";
import type { MicroscopeTell } from "./protocol";
import type { Session } from "./session";
import type { Stage } from "./stage";

export interface Probe {
  /** A frame has been drawn. */
  readonly ready: boolean;
  readonly scene: string | null;
  readonly playing: boolean;
  readonly frame: number;
  readonly hash: string;
  readonly bodies: number;
  readonly stats: number[];
  /** Frames received, and pictures drawn. */
  readonly updates: number;
  readonly drawn: number;
  readonly sections: string[];
  readonly microscope: { pair: MicroscopeTell | null; step: number };
  /** Where a body is, in the world. */
  position(body: number): number[];
  /** Where a body's centre is seen, in pixels of the window. */
  screen(body: number): { x: number; y: number };
}

declare global {
  interface Window {
    carom?: Probe;
  }
}

export function exposeToTests(session: Session, stage: Stage, bodies: Bodies, microscope: Microscope): void {
  window.carom = {
    get ready() {
      return stage.drawn > 0 && session.newest !== null;
    },
    get scene() {
      return session.scene?.name ?? null;
    },
    get playing() {
      return session.playing;
    },
    get frame() {
      return session.newest?.frame ?? -1;
    },
    get hash() {
      return session.newest?.hash ?? "";
    },
    get bodies() {
      return session.newest?.bodies ?? 0;
    },
    get stats() {
      return [...(session.newest?.statistics ?? [])];
    },
    get updates() {
      return session.updates;
    },
    get drawn() {
      return stage.drawn;
    },
    get sections() {
      return [...(session.newest?.sections.keys() ?? [])];
    },
    get microscope() {
      return { pair: microscope.pair, step: microscope.step };
    },
    position(body) {
      const frame = session.newest;
      return frame === null ? [] : [0, 1, 2].map((axis) => frame.positions[3 * body + axis]! + frame.origin[axis]!);
    },
    screen(body) {
      const { x, y } = stage.screen(bodies.center(body) ?? new THREE.Vector3());
      return { x, y };
    },
  };
}
