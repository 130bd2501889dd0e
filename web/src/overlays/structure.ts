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
      { colour: VERMILION, text: "planes that split, each where it cuts its region" },
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

  /** The outline of where a plane cuts its region. */
  function planeIn(floats: Float32Array, at: number, shift: THREE.Vector3, colour: THREE.Color): void {
    const [min, max] = [0, 3].map((corner) => new THREE.Vector3().fromArray(floats, at + corner)) as [
      THREE.Vector3,
      THREE.Vector3,
    ];
    const normal = new THREE.Vector3().fromArray(floats, at + 6);
    const corners = cut(min, max, normal, floats[at + 9]!).map((corner) => corner.add(shift));
    corners.forEach((corner, index) => lines.add(corner, corners[(index + 1) % corners.length]!, colour));
  }
}

/** The corners of what a plane has in common with a box, in order around it; none if they do not meet. */
export function cut(min: THREE.Vector3, max: THREE.Vector3, normal: THREE.Vector3, offset: number): THREE.Vector3[] {
  const found: THREE.Vector3[] = [];
  for (let axis = 0; axis < 3; axis++) {
    const slope = normal.getComponent(axis);
    const [aside, up] = [(axis + 1) % 3, (axis + 2) % 3];
    for (const [first, second] of [
      [min, min],
      [min, max],
      [max, min],
      [max, max],
    ] as const) {
      // Along this edge of the box the plane is crossed once, or never.
      const corner = new THREE.Vector3();
      corner.setComponent(aside, first.getComponent(aside)).setComponent(up, second.getComponent(up));
      const along = (offset - normal.dot(corner)) / slope;
      if (Number.isFinite(along) && along >= min.getComponent(axis) && along <= max.getComponent(axis))
        found.push(corner.setComponent(axis, along));
    }
  }
  const middle = found.reduce((sum, corner) => sum.add(corner), new THREE.Vector3()).divideScalar(found.length || 1);
  const across = new THREE.Vector3(...([0, 1, 2].map((axis) => (axis === least(normal) ? 1 : 0)) as [number, number, number]));
  const right = across.cross(normal).normalize();
  const high = normal.clone().cross(right);
  const angle = (corner: THREE.Vector3) => {
    const out = corner.clone().sub(middle);
    return Math.atan2(out.dot(high), out.dot(right));
  };
  return found.sort((a, b) => angle(a) - angle(b));
}

/** The axis that a vector is least along. */
function least(vector: THREE.Vector3): number {
  const sizes = vector.toArray().map(Math.abs);
  return sizes.indexOf(Math.min(...sizes));
}
