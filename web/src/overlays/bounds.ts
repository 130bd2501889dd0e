// Boxes along the axes as the broad phase has them, the library's other bounds, and what shapes sweep in a step.

import * as THREE from "three";
import type { Bodies } from "../bodies";
import { BLUE, GREEN, GREY, NUMBERED, ORANGE, PURPLE, SKY, VERMILION } from "../colours";
import type { BoundsTell } from "../protocol";
import { Lines, Wires } from "./drawing";
import type { Overlay } from "./overlay";

const FLOATS_PER_BOX = 7;

export function boxes(): Overlay {
  const edges = Wires.boxes();
  const tone = new THREE.Color(BLUE);
  return {
    name: "boxes",
    label: "Boxes (AABB)",
    group: "Broad phase",
    section: "boxes",
    legend: [{ colour: BLUE, text: "box of each shape in the broad phase" }],
    objects: [edges.object],
    draw(frame, bodies) {
      const floats = frame.sections.get("boxes")?.floats ?? new Float32Array(0);
      const shift = bodies.shift(frame);
      edges.begin();
      for (let at = 0; at + FLOATS_PER_BOX <= floats.length; at += FLOATS_PER_BOX) {
        if (Number.isFinite(floats[at + 1]! + floats[at + 4]!)) edges.addBounds(floats, at + 1, shift, tone);
      }
      edges.end();
    },
  };
}

export function swept(): Overlay {
  // Little more than the shapes themselves where these are slow: seen through them.
  const lines = new Lines({ width: 1.5 });
  const tone = new THREE.Color(SKY);
  const [from, to] = [new THREE.Vector3(), new THREE.Vector3()];
  return {
    name: "swept",
    label: "Swept volumes",
    group: "Bounds",
    section: "swept",
    legend: [{ colour: SKY, text: "all that a moving shape passes through in the next step, its turn included" }],
    objects: [lines.object],
    draw(frame, bodies) {
      const { floats, words } = frame.sections.get("swept") ?? { floats: new Float32Array(0), words: new Uint32Array(0) };
      const shift = bodies.shift(frame);
      lines.begin();
      // Of each shape its slot, how many lines there are, and their ends.
      for (let at = 0; at + 2 <= words.length; ) {
        const end = at + 2 + 6 * words[at + 1]!;
        for (at += 2; at + 6 <= Math.min(end, floats.length); at += 6)
          lines.add(from.fromArray(floats, at).add(shift), to.fromArray(floats, at + 3).add(shift), tone);
        at = end;
      }
      lines.end();
    },
  };
}

/** The bounding volumes that the library fits: what each is called there and here. */
const VOLUMES: [volume: string, name: string, label: string, colour: string, text: string][] = [
  ["sphere", "spheres", "Spheres", PURPLE, "smallest sphere around each shape"],
  ["capsule", "capsules", "Capsules", ORANGE, "capsule around each shape"],
  ["oriented box", "oriented", "Oriented boxes (OBB)", GREEN, "box turned to fit each shape"],
  ["k-dop", "kdops", "14-DOPs", VERMILION, "what 14 planes of fixed directions cut out around each shape"],
  ["cylinder", "cylinders", "Cylinders", `#${NUMBERED[4]!.getHexString()}`, "cylinder around each shape"],
  ["ellipsoid", "ellipsoids", "Ellipsoids", BLUE, "smallest ellipsoid around each shape"],
  ["hull", "hulls", "Convex hulls", GREY, "tightest convex volume around each shape"],
];

/** Those of the library, fitted in the shapes' frames; where they are missing, what the page can make itself. */
export function volumes(missing: boolean): Overlay[] {
  return VOLUMES.map(([volume, name, label, colour, text]) => {
    const own = OWN[name];
    return missing && own !== undefined
      ? { ...own(), name, label, group: "Bounds", section: null, legend: [{ colour, text: OWN_TEXT }] }
      : fitted(volume, { name, label, colour, text });
  });
}

function fitted(volume: string, { name, label, colour, text }: { name: string; label: string; colour: string; text: string }): Overlay {
  const lines = new Lines({ width: 1.6, onTop: false });
  const tone = new THREE.Color(colour);
  const [from, to] = [new THREE.Vector3(), new THREE.Vector3()];
  let bounds: BoundsTell | null = null;
  return {
    name,
    label,
    group: "Bounds",
    section: null,
    volume,
    legend: [{ colour, text }],
    objects: [lines.object],
    take(told) {
      if (told.volume === volume) bounds = told;
    },
    draw(frame, bodies) {
      lines.begin();
      for (const { body, shape, position, rotation } of bounds?.generation === frame.generation ? bounds.colliders : []) {
        const placing = placingOf(bodies, body, position, rotation);
        const ends = bounds!.shapes[shape] ?? [];
        for (let at = 0; at + 6 <= ends.length; at += 6)
          lines.add(from.fromArray(ends, at).applyMatrix4(placing), to.fromArray(ends, at + 3).applyMatrix4(placing), tone);
      }
      lines.end();
    },
  };
}

/** From the frame of a shape to the drawing. */
function placingOf(bodies: Bodies, body: number, position: number[], rotation: number[]): THREE.Matrix4 {
  const one = new THREE.Vector3(1, 1, 1);
  const inBody = new THREE.Matrix4().compose(
    new THREE.Vector3().fromArray(position),
    new THREE.Quaternion().fromArray(rotation),
    one,
  );
  const place = new THREE.Vector3().fromArray(bodies.positions, 3 * body);
  const turn = new THREE.Quaternion().fromArray(bodies.rotations, 4 * body);
  return new THREE.Matrix4().compose(place, turn, one).multiply(inBody);
}

const OWN_TEXT = "around what is drawn of each shape; `carom view` shows the library's own";

/** What is drawn without the library, from what the page draws. */
const OWN: Record<string, () => Pick<Overlay, "objects" | "draw">> = {
  oriented() {
    const edges = Wires.boxes();
    const tone = new THREE.Color(GREEN);
    return {
      objects: [edges.object],
      draw(_, bodies) {
        edges.begin();
        for (const matrix of bodies.orientedBoxes()) edges.add(matrix, tone);
        edges.end();
      },
    };
  },
  spheres() {
    const circles = Wires.spheres();
    const tone = new THREE.Color(PURPLE);
    return {
      objects: [circles.object],
      draw(_, bodies) {
        circles.begin();
        for (const { center, radius } of bodies.balls((body) => bodies.descriptions[body]!.kind !== "fixed")) {
          circles.add(new THREE.Matrix4().makeScale(radius, radius, radius).setPosition(center), tone);
        }
        circles.end();
      },
    };
  },
};
