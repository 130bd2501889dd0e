// Boxes along the axes as the broad phase has them, and other bounds around what is drawn.

import * as THREE from "three";
import { BLUE, GREEN, PURPLE, SKY } from "../colours";
import { BoxEdges, Lines } from "./drawing";
import type { Overlay } from "./overlay";

const FLOATS_PER_BOX = 7;

function sectionBoxes(name: string, label: string, colour: string, text: string): Overlay {
  const edges = new BoxEdges();
  const tone = new THREE.Color(colour);
  return {
    name,
    label,
    group: "Broad phase",
    section: name,
    legend: [{ colour, text }],
    objects: [edges.object],
    draw(frame, bodies) {
      const floats = frame.sections.get(name)?.floats ?? new Float32Array(0);
      const shift = bodies.shift(frame);
      edges.begin();
      for (let at = 0; at + FLOATS_PER_BOX <= floats.length; at += FLOATS_PER_BOX) {
        if (Number.isFinite(floats[at + 1]! + floats[at + 4]!)) edges.addBounds(floats, at + 1, shift, tone);
      }
      edges.end();
    },
  };
}

export function boxes(): Overlay {
  return sectionBoxes("boxes", "Boxes (AABB)", BLUE, "box of each shape in the broad phase");
}

export function swept(): Overlay {
  return sectionBoxes("swept", "Swept volumes", SKY, "box swept over the next step");
}

export function orientedBoxes(): Overlay {
  const edges = new BoxEdges();
  const tone = new THREE.Color(GREEN);
  return {
    name: "oriented",
    label: "Oriented boxes",
    group: "Broad phase",
    section: null,
    legend: [{ colour: GREEN, text: "box along the shape's own axes" }],
    objects: [edges.object],
    draw(_, bodies) {
      edges.begin();
      for (const matrix of bodies.orientedBoxes()) edges.add(matrix, tone);
      edges.end();
    },
  };
}

const CIRCLE = 32;

export function spheres(): Overlay {
  const lines = new Lines({ width: 1.2, onTop: false });
  const tone = new THREE.Color(PURPLE);
  const from = new THREE.Vector3();
  const to = new THREE.Vector3();
  return {
    name: "spheres",
    label: "Bounding spheres",
    group: "Broad phase",
    section: null,
    legend: [{ colour: PURPLE, text: "sphere around each shape" }],
    objects: [lines.object],
    draw(_, bodies) {
      lines.begin();
      for (const { center, radius } of bodies.balls((body) => bodies.descriptions[body]!.kind !== "fixed")) {
        for (let axis = 0; axis < 3; axis++) {
          for (let part = 0; part < CIRCLE; part++) {
            lines.add(around(center, radius, axis, part, from), around(center, radius, axis, part + 1, to), tone);
          }
        }
      }
      lines.end();
    },
  };
}

function around(center: THREE.Vector3, radius: number, axis: number, part: number, target: THREE.Vector3) {
  const angle = (2 * Math.PI * part) / CIRCLE;
  target.copy(center);
  const [first, second] = [(axis + 1) % 3, (axis + 2) % 3];
  target.setComponent(first, center.getComponent(first) + radius * Math.cos(angle));
  return target.setComponent(second, center.getComponent(second) + radius * Math.sin(angle));
}
