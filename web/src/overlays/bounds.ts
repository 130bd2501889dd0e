// Boxes along the axes as the broad phase has them, and other bounds around what is drawn.

import * as THREE from "three";
import { BLUE, GREEN, PURPLE, SKY } from "../colours";
import { Wires } from "./drawing";
import type { Overlay } from "./overlay";

const FLOATS_PER_BOX = 7;

function sectionBoxes(name: string, label: string, colour: string, text: string): Overlay {
  const edges = Wires.boxes();
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
  const edges = Wires.boxes();
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

export function spheres(): Overlay {
  const circles = Wires.spheres();
  const tone = new THREE.Color(PURPLE);
  return {
    name: "spheres",
    label: "Bounding spheres",
    group: "Broad phase",
    section: null,
    legend: [{ colour: PURPLE, text: "sphere around each shape" }],
    objects: [circles.object],
    draw(_, bodies) {
      circles.begin();
      for (const { center, radius } of bodies.balls((body) => bodies.descriptions[body]!.kind !== "fixed")) {
        circles.add(new THREE.Matrix4().makeScale(radius, radius, radius).setPosition(center), tone);
      }
      circles.end();
    },
  };
}
