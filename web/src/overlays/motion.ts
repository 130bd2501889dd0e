// What bodies do: velocities, centres of mass, islands and sleep.

import * as THREE from "three";
import { ASLEEP_TINT, AWAKE_TINT, BLUE, GREY, numbered, NUMBERED, ORANGE, PURPLE, VERMILION } from "../colours";
import { ASLEEP } from "../protocol";
import { Dots, Lines } from "./drawing";
import type { Overlay } from "./overlay";

const NO_ISLAND = 0xffffffff;
const UNTINTED = new THREE.Color(GREY);

/** Metres drawn for each metre a second. */
const VELOCITY_SCALE = 0.2;

export function velocities(): Overlay {
  const lines = new Lines({ width: 2.5 });
  const [linear, angular] = [new THREE.Color(BLUE), new THREE.Color(PURPLE)];
  return {
    name: "velocities",
    label: "Velocities",
    group: "Bodies",
    section: "velocities",
    legend: [
      { colour: BLUE, text: `velocity: ${VELOCITY_SCALE} m for each m/s` },
      { colour: PURPLE, text: `spin: ${VELOCITY_SCALE} m for each rad/s, along its axis` },
    ],
    objects: [lines.object],
    draw(frame, bodies) {
      const floats = frame.sections.get("velocities")?.floats ?? new Float32Array(0);
      lines.begin();
      for (let body = 0; 6 * body + 6 <= floats.length; body++) {
        const from = bodies.center(body);
        if (from === null) continue;
        [linear, angular].forEach((colour, part) => {
          const along = new THREE.Vector3().fromArray(floats, 6 * body + 3 * part);
          if (along.lengthSq() > 1e-6) lines.add(from, from.clone().addScaledVector(along, VELOCITY_SCALE), colour);
        });
      }
      lines.end();
    },
  };
}

export function centers(): Overlay {
  const dots = new Dots(9);
  const colour = new THREE.Color(VERMILION);
  return {
    name: "centers",
    label: "Centres of mass",
    group: "Bodies",
    section: "centers",
    legend: [{ colour: VERMILION, text: "centre of mass" }],
    objects: [dots.object],
    draw(frame, bodies) {
      const floats = frame.sections.get("centers")?.floats ?? new Float32Array(0);
      const shift = bodies.shift(frame);
      dots.begin();
      for (let body = 0; 3 * body + 3 <= floats.length; body++) {
        if (bodies.descriptions[body]?.kind === "fixed") continue;
        dots.add(new THREE.Vector3().fromArray(floats, 3 * body).add(shift), colour);
      }
      dots.end();
    },
  };
}

export function islands(): Overlay {
  return {
    name: "islands",
    label: "Islands",
    group: "Bodies",
    section: "islands",
    legend: [
      { colour: `#${NUMBERED[0]!.getHexString()}`, text: "bodies of one colour touch: one island" },
      { colour: GREY, text: "in no island" },
    ],
    objects: [],
    tint(frame, body) {
      const island = frame.sections.get("islands")?.words[body];
      if (island === undefined) return null;
      return island === NO_ISLAND ? UNTINTED : numbered(island);
    },
  };
}

export function sleep(): Overlay {
  return {
    name: "sleep",
    label: "Sleep",
    group: "Bodies",
    section: null,
    legend: [
      { colour: ORANGE, text: "awake" },
      { colour: `#${ASLEEP_TINT.getHexString()}`, text: "asleep: costs nothing until touched" },
    ],
    objects: [],
    tint(frame, body) {
      return (frame.states[body]! & ASLEEP) !== 0 ? ASLEEP_TINT : AWAKE_TINT;
    },
  };
}
