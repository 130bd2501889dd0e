// What the broad phase is built of: nodes of a tree by level, cells of a grid or hash, planes, sorted intervals.

import * as THREE from "three";
import { numbered, NUMBERED, ORANGE, VERMILION } from "../colours";
import { Lines, Wires } from "./drawing";
import type { Overlay } from "./overlay";

const WORDS_PER_PART = 12;
const [NODE, CELL, PLANE, INTERVAL] = [0, 1, 2, 3];
/** Distance between the rows in which intervals are laid out along an axis, in metres. */
const INTERVAL_GAP = 0.15;

export function structure(): Overlay {
  const edges = Wires.boxes(0.85);
  const lines = new Lines({ width: 2, onTop: true });
  const cell = new THREE.Color(ORANGE);
  const plane = new THREE.Color(VERMILION);
  const from = new THREE.Vector3();
  const to = new THREE.Vector3();
  return {
    name: "structure",
    label: "Structure",
    group: "Broad phase",
    section: "structure",
    legend: [
      { colour: `#${NUMBERED[0]!.getHexString()}`, text: "tree: a colour for each level" },
      { colour: ORANGE, text: "grid or hash: cells in use" },
      { colour: VERMILION, text: "planes that split" },
      { colour: `#${NUMBERED[2]!.getHexString()}`, text: "intervals sorted along an axis" },
    ],
    objects: [edges.object, lines.object],
    draw(frame, bodies) {
      const section = frame.sections.get("structure");
      const shift = bodies.shift(frame);
      edges.begin();
      lines.begin();
      const rows = [0, 0, 0];
      for (let at = 0; section !== undefined && at + WORDS_PER_PART <= section.words.length; at += WORDS_PER_PART) {
        const kind = section.words[at];
        const level = section.words[at + 1]!;
        const { floats } = section;
        if (kind === NODE) edges.addBounds(floats, at + 2, shift, numbered(level));
        else if (kind === CELL) edges.addBounds(floats, at + 2, shift, level === 0 ? cell : numbered(level));
        else if (kind === PLANE) planeIn(floats, at + 2, shift, plane);
        else if (kind === INTERVAL) {
          // Laid out beside the scene, one row for each, in their order.
          const axis = level % 3;
          const away = (axis + 1) % 3;
          const row = rows[axis]!++;
          from.copy(shift).setComponent(axis, floats[at + 2]! + shift.getComponent(axis));
          to.copy(shift).setComponent(axis, floats[at + 3]! + shift.getComponent(axis));
          for (const end of [from, to]) end.setComponent(away, end.getComponent(away) + (row % 200) * INTERVAL_GAP);
          lines.add(from, to, numbered(axis + 2));
        }
      }
      edges.end();
      lines.end();
    },
  };

  /** The outline of where a plane cuts its region, for planes along the axes; the region itself otherwise. */
  function planeIn(floats: Float32Array, at: number, shift: THREE.Vector3, colour: THREE.Color): void {
    const normal = [floats[at + 6]!, floats[at + 7]!, floats[at + 8]!];
    const axis = normal.findIndex((part) => Math.abs(part) > 0.999);
    if (axis < 0) {
      edges.addBounds(floats, at, shift, colour);
      return;
    }
    const flat = floats.slice(at, at + 6);
    flat[axis] = flat[axis + 3] = floats[at + 9]! * Math.sign(normal[axis]!);
    edges.addBounds(flat, 0, shift, colour);
  }
}
