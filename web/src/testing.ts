// What the end-to-end tests may ask of the page: `window.carom`.

import * as THREE from "three";
import type { Bodies } from "./bodies";
import type { Microscope } from "./microscope/tab";
import type { Overlays } from "./overlays/all";
import { contactKeys, contactsOf } from "./overlays/contacts";
import { pairLines } from "./overlays/pairs";
import { cut } from "./overlays/structure";
import type { Plots } from "./panels/plots";
import type { BoundsTell, Command, MicroscopeTell, StateTell } from "./protocol";
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
  /** The broad phase, and all there are. */
  readonly structure: string | null;
  readonly structures: string[];
  readonly stats: number[];
  /** Frames received, and pictures drawn. */
  readonly updates: number;
  readonly drawn: number;
  /** How many words each section of the frame has. */
  readonly sections: Record<string, number>;
  /** A section of the frame, as numbers of either kind. */
  section(name: string): { floats: number[]; words: number[] } | null;
  readonly microscope: { pair: MicroscopeTell | null; step: number };
  readonly plotted: Plots["plotted"];
  send(command: Command): void;
  onState(handler: (state: StateTell) => void): void;
  onBounds(handler: (bounds: BoundsTell) => void): void;
  /** Calls back once a picture has been drawn after now. */
  redraw(done: () => void): void;
  /** Switches an overlay; gives the section that it needs, if any. */
  switch(overlay: string, on: boolean): string | null;
  /** Where contacts are seen, in pixels of the window, how far from the camera, and the keys of their labels. */
  contacts(): { x: number; y: number; distance: number; key: string }[];
  /** What is drawn of a plane that splits: region, normal and offset as in a section, and the corners of its outline. */
  cut(part: number[]): { min: number[]; max: number[]; normal: number[]; offset: number; corners: number[][] };
  /** Where the lines of pairs are drawn, in pixels of the window: their middles. */
  pairs(): { x: number; y: number; slots: [number, number] }[];
  /** Looks at the scene as at first. */
  fitCamera(): void;
  /** What the moving bodies take up, in pixels of the window. */
  extent(): { left: number; right: number; top: number; bottom: number };
  /** Turns the camera around what it looks at, in radians. */
  turn(angle: number): void;
  kind(body: number): string | null;
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

export function exposeToTests(
  session: Session,
  stage: Stage,
  bodies: Bodies,
  overlays: Overlays,
  { microscope, plots, fitCamera }: { microscope: Microscope; plots: Plots; fitCamera: () => void },
): void {
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
    get structure() {
      return session.structure;
    },
    get structures() {
      return session.hello?.structures ?? [];
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
      const sections = [...(session.newest?.sections ?? [])];
      return Object.fromEntries(sections.map(([name, { words }]) => [name, words.length]));
    },
    section(name) {
      const section = session.newest?.sections.get(name);
      return section === undefined ? null : { floats: [...section.floats], words: [...section.words] };
    },
    get microscope() {
      return { pair: microscope.pair, step: microscope.step };
    },
    get plotted() {
      return plots.plotted;
    },
    send: (command) => session.send(command),
    onState: (handler) => session.on("state", handler),
    onBounds: (handler) => session.on("bounds", handler),
    redraw(done) {
      // One may be under way already, of what was before.
      const enough = stage.drawn + 2;
      const look = () => {
        if (stage.drawn >= enough) return done();
        stage.touch();
        requestAnimationFrame(look);
      };
      look();
    },
    switch(name, on) {
      overlays.switch(name, on);
      return overlays.all.find((overlay) => overlay.name === name)?.section ?? null;
    },
    contacts() {
      const all = session.newest === null ? [] : contactsOf(session.newest, bodies);
      const keys = contactKeys(all);
      return all.map(({ point }, index) => {
        const distance = stage.camera.position.distanceTo(point);
        return { ...stage.screen(point), distance, key: keys[index]! };
      });
    },
    cut(part) {
      const [min, max, normal] = [0, 3, 6].map((at) => part.slice(at, at + 3)) as [number[], number[], number[]];
      const [low, high, along] = [min, max, normal].map((vector) => new THREE.Vector3().fromArray(vector));
      const corners = cut(low!, high!, along!, part[9]!).map((corner) => corner.toArray());
      return { min, max, normal, offset: part[9]!, corners };
    },
    pairs() {
      const all = session.newest === null ? [] : pairLines(session.newest, bodies, "pairs");
      return all.map(({ slots, from, to }) => ({ ...stage.screen(from.clone().lerp(to, 0.5)), slots }));
    },
    fitCamera,
    extent() {
      const corners = bodies.corners((body) => bodies.descriptions[body]!.kind !== "fixed").flat();
      const [xs, ys] = (["x", "y"] as const).map((axis) => corners.map((corner) => stage.screen(corner)[axis]));
      const [least, most] = [Math.min, Math.max].map((pick) => (all: number[]) => all.reduce((a, b) => pick(a, b)));
      return { left: least!(xs!), right: most!(xs!), top: least!(ys!), bottom: most!(ys!) };
    },
    turn(angle) {
      const { position } = stage.camera;
      const { target } = stage.controls;
      position.sub(target).applyAxisAngle(new THREE.Vector3(0, 1, 0), angle).add(target);
      stage.look(position.clone(), target.clone());
    },
    kind: (body) => bodies.descriptions[body]?.kind ?? null,
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
