// Lines between shapes: pairs that the broad phase found, and the colours by which the solver orders contacts.

import * as THREE from "three";
import type { Bodies } from "../bodies";
import { GREEN, GREY, numbered, NUMBERED, VERMILION } from "../colours";
import { element, short } from "../dom";
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

/** Where the line between the shapes of a pair is drawn. */
export interface PairLine extends PairOfSlots {
  from: THREE.Vector3;
  to: THREE.Vector3;
}

export function pairLines(frame: Frame, bodies: Bodies, section: "pairs" | "colours"): PairLine[] {
  return pairsIn(frame, section).flatMap(({ slots, word }) => {
    const [a, b] = slots;
    const [from, to] = [new THREE.Vector3(), new THREE.Vector3()];
    if (!bodies.slotCenter(a, from) || !bodies.slotCenter(b, to)) return [];
    // The middle of the ground is far from what stands on it: go straight down instead.
    if (bodies.wide(b)) to.copy(from).setY(from.y - bodies.slotRadius(a));
    else if (bodies.wide(a)) from.copy(to).setY(to.y - bodies.slotRadius(b));
    return [{ slots, word, from, to }];
  });
}

export function pairs(): Overlay {
  const [tested, touching] = [new THREE.Color(GREY), new THREE.Color(VERMILION)];
  return between("pairs", "Pairs", "Broad phase", (isTouching) => (isTouching ? touching : tested), [
    { colour: GREY, text: "tested, apart" },
    { colour: VERMILION, text: "touching; click a line for the microscope" },
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
  return {
    name,
    label,
    group,
    section: name,
    legend,
    objects: [lines.object],
    draw(frame, bodies) {
      lines.begin();
      for (const { word, from, to } of pairLines(frame, bodies, name)) lines.add(from, to, colour(word));
      lines.end();
    },
  };
}

/** Bodies as points: those whose centres are within a radius of each other. */
export function close(): Overlay {
  const lines = new Lines({ width: 2 });
  const tone = new THREE.Color(GREEN);
  const status = element("li");
  return {
    name: "close",
    label: "Close pairs (within R)",
    group: "Broad phase",
    section: "close",
    legend: [{ colour: GREEN, text: "centres within R of each other, found as particles" }],
    status,
    objects: [lines.object],
    draw(frame, bodies) {
      const section = frame.sections.get("close");
      const words = section?.words ?? new Uint32Array(0);
      lines.begin();
      for (let at = 1; at + 2 <= words.length; at += 2) {
        const [from, to] = [bodies.center(words[at]!), bodies.center(words[at + 1]!)];
        if (from !== null && to !== null) lines.add(from, to, tone);
      }
      lines.end();
      const count = Math.max(0, (words.length - 1) / 2);
      status.textContent = section === undefined || words.length === 0 ? "" : `${count.toLocaleString("en")} pairs, R = ${short(section.floats[0]!)} m`;
    },
  };
}
