// The ways of the few bodies that move: how far they are proven free, where they hit, and where there is least room.

import * as THREE from "three";
import { GREEN, PURPLE, VERMILION } from "../colours";
import { element, short } from "../dom";
import { Dots, Lines } from "./drawing";
import type { Overlay } from "./overlay";

const WORDS_PER_WAY = 23;

export function ahead(): Overlay {
  const lines = new Lines({ width: 3 });
  const dots = new Dots(10);
  const [free, beyond, room] = [GREEN, VERMILION, PURPLE].map((colour) => new THREE.Color(colour)) as [
    THREE.Color,
    THREE.Color,
    THREE.Color,
  ];
  const status = element("li");
  return {
    name: "ahead",
    label: "Ways ahead",
    group: "Bodies",
    section: "ahead",
    legend: [
      { colour: GREEN, text: "proven free, if a body goes on as it moves now" },
      { colour: VERMILION, text: "first hit, and what would come after it" },
      { colour: PURPLE, text: "least room on the way" },
    ],
    status,
    objects: [lines.object, dots.object],
    draw(frame, bodies) {
      const { floats, words } = frame.sections.get("ahead") ?? { floats: new Float32Array(0), words: new Uint32Array(0) };
      const shift = bodies.shift(frame);
      const told: string[] = [];
      lines.begin();
      dots.begin();
      for (let at = 0; at + WORDS_PER_WAY <= words.length; at += WORDS_PER_WAY) {
        const outcome = words[at + 1]!;
        const [end, least, when] = floats.subarray(at + 2, at + 5) as unknown as [number, number, number];
        const point = (index: number) => new THREE.Vector3().fromArray(floats, at + 5 + 3 * index).add(shift);
        const [onBody, onOther, hit, start, last, horizon] = [0, 1, 2, 3, 4, 5].map(point) as [
          THREE.Vector3,
          THREE.Vector3,
          THREE.Vector3,
          THREE.Vector3,
          THREE.Vector3,
          THREE.Vector3,
        ];
        lines.add(start, last, free);
        if (outcome > 0) {
          lines.add(last, horizon, beyond);
          dots.add(hit, beyond);
        }
        lines.add(onBody, onOther, room);
        for (const side of [onBody, onOther]) dots.add(side, room);
        const name = bodies.descriptions[words[at]!]?.name ?? `body ${words[at]!}`;
        told.push(
          outcome > 0
            ? `${name}: free for ${short(end)} s, then ${outcome === 1 ? "a hit" : "not proven"}; least room before ${short(least)} m, in ${short(when)} s`
            : `${name}: free for ${short(end)} s; least room ${short(least)} m, in ${short(when)} s`,
        );
      }
      lines.end();
      dots.end();
      status.textContent = told.join(". ") || "Nothing moves alone: with more than four bodies on the way nothing is checked.";
    },
  };
}
