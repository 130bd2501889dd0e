// Contact points with their normals, depths, impulses and features; and impacts of the step.

import * as THREE from "three";
import type { Bodies } from "../bodies";
import { BLUE, GREEN, ORANGE, VERMILION, YELLOW } from "../colours";
import type { Frame } from "../protocol";
import { Dots, Lines } from "./drawing";
import type { Label, Labels } from "./labels";
import type { Overlay } from "./overlay";

const WORDS_PER_CONTACT = 12;
const WORDS_PER_IMPACT = 6;

/** A contact as a frame holds it, in coordinates of the drawing. */
export interface Contact {
  index: number;
  point: THREE.Vector3;
  /** From the first shape to the second. */
  normal: THREE.Vector3;
  depth: number;
  impulse: number;
  slots: [number, number];
  features: [string, string];
}

export function contactsOf(frame: Frame, bodies: Bodies): Contact[] {
  const section = frame.sections.get("contacts");
  if (section === undefined) return [];
  const { floats, words } = section;
  const shift = bodies.shift(frame);
  const found = [];
  for (let at = 0; at + WORDS_PER_CONTACT <= words.length; at += WORDS_PER_CONTACT) {
    found.push({
      index: at / WORDS_PER_CONTACT,
      point: new THREE.Vector3().fromArray(floats, at).add(shift),
      normal: new THREE.Vector3().fromArray(floats, at + 3),
      depth: floats[at + 6]!,
      impulse: floats[at + 7]!,
      slots: [words[at + 8]!, words[at + 9]!] as [number, number],
      features: [featureText(words[at + 10]!), featureText(words[at + 11]!)] as [string, string],
    });
  }
  return found;
}

const FEATURES = ["surface", "vertex", "edge", "face"];

function featureText(word: number): string {
  const kind = FEATURES[word >>> 28] ?? "feature";
  return kind === "surface" ? kind : `${kind[0]}${word & 0x0fffffff}`;
}

/** Metres; normals and the like are drawn as long as suits the bodies. */
function normalLength(bodies: Bodies): number {
  return 0.6 * bodies.typicalRadius;
}

export function contacts(): Overlay {
  const dots = new Dots(8);
  const lines = new Lines({ width: 2.5 });
  const [point, normal] = [new THREE.Color(VERMILION), new THREE.Color(ORANGE)];
  return overContacts("contacts", "Contacts and normals", {
    legend: [
      { colour: VERMILION, text: "point of contact" },
      { colour: ORANGE, text: "normal, from the first shape to the second" },
    ],
    objects: [dots.object, lines.object],
    begin: () => [dots, lines].forEach((part) => part.begin()),
    each(contact, bodies) {
      dots.add(contact.point, point);
      lines.add(contact.point, contact.point.clone().addScaledVector(contact.normal, normalLength(bodies)), normal);
    },
    end: () => [dots, lines].forEach((part) => part.end()),
  });
}

/** Depths are millimetres at most: drawn this many times larger. */
const DEPTH_SCALE = 50;

export function depth(): Overlay {
  const lines = new Lines({ width: 5 });
  const [deep, apart] = [new THREE.Color(BLUE), new THREE.Color(YELLOW)];
  return overContacts("depth", "Depth", {
    legend: [
      { colour: BLUE, text: `overlap, ${DEPTH_SCALE} times as long` },
      { colour: YELLOW, text: `gap, ${DEPTH_SCALE} times as long` },
    ],
    objects: [lines.object],
    begin: () => lines.begin(),
    each(contact, bodies) {
      const length = Math.min(Math.abs(contact.depth) * DEPTH_SCALE, 4 * bodies.typicalRadius);
      const to = contact.point.clone().addScaledVector(contact.normal, Math.max(length, 0.08 * bodies.typicalRadius));
      lines.add(contact.point, to, contact.depth >= 0 ? deep : apart);
    },
    end: () => lines.end(),
  });
}

export function impulses(): Overlay {
  const lines = new Lines({ width: 3.5 });
  const push = new THREE.Color(GREEN);
  let strongest = 0;
  return overContacts("impulses", "Impulses", {
    legend: [{ colour: GREEN, text: "impulse of the step, as a share of the strongest" }],
    objects: [lines.object],
    begin(all) {
      strongest = all.reduce((most, { impulse }) => Math.max(most, impulse), 1e-12);
      lines.begin();
    },
    each(contact, bodies) {
      const length = 3 * bodies.typicalRadius * (contact.impulse / strongest);
      lines.add(contact.point, contact.point.clone().addScaledVector(contact.normal, length), push);
    },
    end: () => lines.end(),
  });
}

/** Names of contacts that last from frame to frame: by shapes and features; several of the same are counted. */
export function contactKeys(all: Contact[]): string[] {
  const counts = new Map<string, number>();
  return all.map(({ slots, features }) => {
    const name = `${slots.join("-")} ${features.join("-")}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name} ${count}`;
  });
}

export function features(labels: Labels): Overlay {
  let [texts, keys]: [Label[], string[]] = [[], []];
  return overContacts("features", "Feature ids", {
    legend: [{ colour: "currentColor", text: "v vertex, e edge, f face: first shape · second" }],
    objects: [labels.object],
    begin: (all) => ([texts, keys] = [[], contactKeys(all)]),
    each({ index, point, features }) {
      texts.push({ key: keys[index]!, at: point, text: features.join(" · ") });
    },
    end: () => labels.set(texts),
  });
}

interface OverContacts {
  legend: Overlay["legend"];
  objects: Overlay["objects"];
  begin(all: Contact[]): void;
  each(contact: Contact, bodies: Bodies): void;
  end(): void;
}

function overContacts(name: string, label: string, parts: OverContacts): Overlay {
  return {
    name,
    label,
    group: "Contacts",
    section: "contacts",
    legend: parts.legend,
    objects: parts.objects,
    draw(frame, bodies) {
      const all = contactsOf(frame, bodies);
      parts.begin(all);
      for (const contact of all) parts.each(contact, bodies);
      parts.end();
    },
  };
}

/** Impacts last one step; they stay visible for this many frames. */
const IMPACT_FRAMES = 30;

export function impacts(): Overlay {
  const lines = new Lines({ width: 3 });
  const dots = new Dots(7);
  const colour = new THREE.Color(VERMILION);
  let recent: { frame: number; at: THREE.Vector3; impulse: number }[] = [];
  return {
    name: "impacts",
    label: "Impacts",
    group: "Contacts",
    section: "impacts",
    legend: [{ colour: VERMILION, text: "bodies that have just hit; wider for harder" }],
    objects: [lines.object, dots.object],
    draw(frame, bodies) {
      const floats = frame.sections.get("impacts")?.floats ?? new Float32Array(0);
      const shift = bodies.shift(frame);
      // Those of this frame come again where it is drawn again.
      recent = recent.filter(({ frame: then }) => then < frame.frame && frame.frame - then < IMPACT_FRAMES);
      for (let at = 0; at + WORDS_PER_IMPACT <= floats.length; at += WORDS_PER_IMPACT) {
        const place = new THREE.Vector3().fromArray(floats, at).add(shift);
        recent.push({ frame: frame.frame, at: place, impulse: floats[at + 3]! });
      }
      const hardest = recent.reduce((most, { impulse }) => Math.max(most, impulse), 1e-12);
      lines.begin();
      dots.begin();
      for (const { frame: then, at, impulse } of recent) {
        const age = (frame.frame - then) / IMPACT_FRAMES;
        dots.add(at, colour);
        const size = bodies.typicalRadius * (0.3 + 0.9 * Math.sqrt(impulse / hardest)) * (1 - 0.7 * age);
        for (let ray = 0; ray < 8; ray++) {
          const angle = (Math.PI * ray) / 4;
          const out = new THREE.Vector3(Math.cos(angle), 0, Math.sin(angle));
          lines.add(at.clone().addScaledVector(out, 0.45 * size), at.clone().addScaledVector(out, size), colour);
        }
      }
      lines.end();
      dots.end();
    },
  };
}
