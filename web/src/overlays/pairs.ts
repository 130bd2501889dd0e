// Lines between shapes: pairs that the broad phase found, and the colours by which the solver orders contacts.

import * as THREE from "three";
import { GREY, numbered, NUMBERED, VERMILION } from "../colours";
import type { Frame } from "../protocol";
import { Lines } from "./drawing";
import type { Overlay } from "./overlay";

const WORDS_PER_PAIR = 3;

/** Two shapes, and what the engine says of them: whether they touch, or their colour. */
interface PairOfSlots {
  slots: [number, number];
  word: number;
}

/** The pairs in a section of a frame. */
export function pairsIn(frame: Frame, section: "pairs" | "colours"): PairOfSlots[] {
  const words = frame.sections.get(section)?.words ?? new Uint32Array(0);
  const count = Math.floor(words.length / WORDS_PER_PAIR);
  return Array.from({ length: count }, (_, index) => {
    const [a, b, word] = words.subarray(WORDS_PER_PAIR * index) as unknown as [number, number, number];
    return { slots: [a, b], word };
  });
}

export function pairs(): Overlay {
  const [tested, touching] = [new THREE.Color(GREY), new THREE.Color(VERMILION)];
  return between("pairs", "Pairs", "Broad phase", (isTouching) => (isTouching ? touching : tested), [
    { colour: GREY, text: "tested, apart" },
    { colour: VERMILION, text: "touching" },
  ]);
}

export function colours(): Overlay {
  const legend = NUMBERED.slice(0, 3).map((colour, index) => ({
    colour: `#${colour.getHexString()}`,
    text: `colour ${index}: solved side by side`,
  }));
  return between("colours", "Graph colours", "Contacts", numbered, legend);
}

function between(
  name: "pairs" | "colours",
  label: string,
  group: Overlay["group"],
  colour: (word: number) => THREE.Color,
  legend: Overlay["legend"],
): Overlay {
  const lines = new Lines({ width: 1.8, opacity: 0.9 });
  const from = new THREE.Vector3();
  const to = new THREE.Vector3();
  return {
    name,
    label,
    group,
    section: name,
    legend,
    objects: [lines.object],
    draw(frame, bodies) {
      lines.begin();
      for (const { slots, word } of pairsIn(frame, name)) {
        const [a, b] = slots;
        if (!bodies.slotCenter(a, from) || !bodies.slotCenter(b, to)) continue;
        // The middle of the ground is far from what stands on it: go straight down instead.
        if (bodies.wide(b)) to.copy(from).setY(from.y - bodies.slotRadius(a));
        else if (bodies.wide(a)) from.copy(to).setY(to.y - bodies.slotRadius(b));
        lines.add(from, to, colour(word));
      }
      lines.end();
    },
  };
}
