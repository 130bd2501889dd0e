// Lines between shapes: pairs that the broad phase found, and the colours by which the solver orders contacts.

import * as THREE from "three";
import { GREY, numbered, NUMBERED, VERMILION } from "../colours";
import { Lines } from "./drawing";
import type { Overlay } from "./overlay";

const WORDS_PER_PAIR = 3;

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
  name: string,
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
      const words = frame.sections.get(name)?.words ?? new Uint32Array(0);
      lines.begin();
      for (let at = 0; at + WORDS_PER_PAIR <= words.length; at += WORDS_PER_PAIR) {
        const [a, b] = [words[at]!, words[at + 1]!];
        if (!bodies.slotCenter(a, from) || !bodies.slotCenter(b, to)) continue;
        // The middle of the ground is far from what stands on it: go straight down instead.
        if (bodies.wide(b)) to.copy(from).setY(from.y - bodies.slotRadius(a));
        else if (bodies.wide(a)) from.copy(to).setY(to.y - bodies.slotRadius(b));
        lines.add(from, to, colour(words[at + 2]!));
      }
      lines.end();
    },
  };
}
