// What overlays show of an exported recording, in the form in which a running program sends it. Contacts are kept; boxes,
// velocities and centres of mass follow from the poses and the shapes.

import * as THREE from "three";
import type { Section, Shape } from "../protocol";
import { boundsOf } from "./bounds";
import { CHANNELS, CONTACT, type Tracks } from "./tracks";

/** The sections that can be had. */
export const SECTIONS: readonly string[] = ["contacts", "boxes", "velocities", "centers"];

/** A section of a moment by its name; nothing where there is none. */
export function sectionOf(tracks: Tracks, moment: number, name: string): [string, Section][] {
  switch (name) {
    case "contacts":
      return tracks.contactStride === 0 ? [] : [[name, contacts(tracks, moment)]];
    case "boxes":
      return [[name, boxes(tracks, moment)]];
    case "velocities":
      return [[name, floats(bodiesOf(tracks).flatMap((body) => velocity(tracks, moment, body)))]];
    case "centers":
      return [[name, floats(bodiesOf(tracks).flatMap((body) => center(tracks, moment, body)))]];
    default:
      return [];
  }
}

interface Pose {
  position: THREE.Vector3;
  rotation: THREE.Quaternion;
}

/** Where a body is, counted from the origin of the recording. */
function poseOf({ channels, positionQuantum, rotationQuantum }: Tracks, moment: number, body: number): Pose {
  const at = (channel: number): number => {
    const values = channels[CHANNELS * body + channel]!;
    return values[Math.min(moment, values.length - 1)]!;
  };
  const position = new THREE.Vector3(at(0), at(1), at(2)).multiplyScalar(positionQuantum);
  const rotation = new THREE.Quaternion(at(3), at(4), at(5), at(6));
  return { position, rotation: scaled(rotation, rotationQuantum).normalize() };
}

function scaled({ x, y, z, w }: THREE.Quaternion, factor: number): THREE.Quaternion {
  return new THREE.Quaternion(x * factor, y * factor, z * factor, w * factor);
}

function bodiesOf({ scene }: Tracks): number[] {
  return scene.bodies.map((_, body) => body);
}

function floats(values: number[]): Section {
  const list = new Float32Array(values);
  return { floats: list, words: new Uint32Array(list.buffer) };
}

function center(tracks: Tracks, moment: number, body: number): number[] {
  const { position, rotation } = poseOf(tracks, moment, body);
  return new THREE.Vector3(...tracks.scene.bodies[body]!.center).applyQuaternion(rotation).add(position).toArray();
}

/** From the moments before and after: velocities themselves are not kept. */
function velocity(tracks: Tracks, moment: number, body: number): number[] {
  const last = tracks.frames.length - 1;
  const [from, to] = [Math.max(moment - 1, 0), Math.min(moment + 1, last)];
  if (from === to) return [0, 0, 0, 0, 0, 0];
  const seconds = (to - from) * tracks.secondsPerMoment;
  const [start, end] = [center(tracks, from, body), center(tracks, to, body)];
  const linear = end.map((value, axis) => (value - start[axis]!) / seconds);
  const turn = poseOf(tracks, to, body).rotation.multiply(poseOf(tracks, from, body).rotation.invert());
  // Of the two quaternions of a turn, the one of less than half a revolution.
  const sign = turn.w < 0 ? -1 : 1;
  const sine = Math.hypot(turn.x, turn.y, turn.z);
  const spin = sine < 1e-9 ? 0 : (2 * sign * Math.atan2(sine, Math.abs(turn.w))) / (sine * seconds);
  return [...linear, turn.x * spin, turn.y * spin, turn.z * spin];
}

/** Boxes around shapes, without the margins of the broad phase. */
function boxes(tracks: Tracks, moment: number): Section {
  const { scene } = tracks;
  const bySlot = new Map<number, THREE.Box3>();
  for (const [body, { colliders }] of scene.bodies.entries()) {
    const { position, rotation } = poseOf(tracks, moment, body);
    for (const collider of colliders) {
      const turned = rotation.clone().multiply(new THREE.Quaternion(...collider.rotation));
      const place = new THREE.Vector3(...collider.position).applyQuaternion(rotation).add(position);
      const box = boundsOf(scene.shapes[collider.shape] as Shape, place, turned);
      if (box === null) continue;
      bySlot.set(collider.slot, bySlot.get(collider.slot)?.union(box) ?? box);
    }
  }
  const section = new Float32Array(7 * bySlot.size);
  const words = new Uint32Array(section.buffer);
  let at = 0;
  for (const [slot, { min, max }] of bySlot) {
    words[at] = slot;
    section.set([...min.toArray(), ...max.toArray()], at + 1);
    at += 7;
  }
  return { floats: section, words };
}

const WORDS_PER_CONTACT = 12;

/** Contacts of the last moment that has any, riding on their bodies. */
function contacts(tracks: Tracks, moment: number): Section {
  const { scene, contactStride } = tracks;
  const list = tracks.contacts[Math.floor(moment / contactStride)] ?? new Int32Array(0);
  const owners = new Map<number, number>();
  scene.bodies.forEach(({ colliders }, body) => colliders.forEach(({ slot }) => owners.set(slot, body)));
  const poses = new Map<number, Pose>();
  const section = new Float32Array((WORDS_PER_CONTACT * list.length) / CONTACT);
  const words = new Uint32Array(section.buffer);
  const point = new THREE.Vector3();
  for (let from = 0, at = 0; from < list.length; from += CONTACT, at += WORDS_PER_CONTACT) {
    const [a, b] = [owners.get(list[from]!) ?? 0, owners.get(list[from + 1]!) ?? 0];
    const rides = scene.bodies[a]?.kind === "dynamic" ? a : b;
    let pose = poses.get(rides);
    if (pose === undefined) poses.set(rides, (pose = poseOf(tracks, moment, rides)));
    const [x, y, z, u, v, depth, impulse] = list.subarray(from + 4, from + CONTACT);
    point.set(x! / 1000, y! / 1000, z! / 1000).applyQuaternion(pose.rotation).add(pose.position);
    point.toArray(section, at);
    unfolded(u! / 255, v! / 255).toArray(section, at + 3);
    section[at + 6] = depth! / 10_000;
    section[at + 7] = 1e-4 * (2 ** (impulse! / 4) - 1);
    for (let part = 0; part < 4; part++) words[at + 8 + part] = list[from + part]!;
  }
  return { floats: section, words };
}

/** A direction by its place on the folded-out octahedron. */
function unfolded(u: number, v: number): THREE.Vector3 {
  const z = 1 - Math.abs(u) - Math.abs(v);
  if (z >= 0) return new THREE.Vector3(u, v, z).normalize();
  const fold = (one: number, other: number) => (1 - Math.abs(other)) * (one < 0 ? -1 : 1);
  return new THREE.Vector3(fold(u, v), fold(v, u), z).normalize();
}
