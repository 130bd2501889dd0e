// What goes over the wire between program and page, typed: docs/viewer-protocol.md is the reference.

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number];

/** A surface of triangles, for shapes that have no short description. Rounding by `radius` is in it already. */
export interface Surface {
  vertices: number[];
  triangles: number[];
  edges: number[];
  radius: number;
  kind: string;
}

/** The written form of a shape: the one key names its kind. */
export interface Shape {
  point?: object;
  segment?: { a: Vector; b: Vector };
  triangle?: { a: Vector; b: Vector; c: Vector; radius?: number };
  sphere?: { radius: number };
  cuboid?: { half_extents: Vector; radius?: number };
  capsule?: { a: Vector; b: Vector; radius: number };
  cylinder?: { half_height: number; radius: number };
  cone?: { half_height: number; radius: number };
  ellipsoid?: { radii: Vector };
  half_space?: { normal: Vector };
  surface?: Surface;
}

export interface Collider {
  slot: number;
  shape: number;
  position: Vector;
  rotation: Quaternion;
  sensor: boolean;
}

export interface BodyDescription {
  id: string | number;
  name: string | null;
  kind: "fixed" | "kinematic" | "dynamic";
  colliders: Collider[];
  center: Vector;
}

export interface SceneListing {
  name: string;
  shows: string;
  capabilities: string[];
}

export interface HelloTell {
  tell: "hello";
  version: string;
  scenes: SceneListing[];
  structures: string[];
  solvers: string[];
  /** How many threads take the steps; null where nothing is computed. */
  threads: number | null;
  can_control: boolean;
}

export interface SceneTell {
  tell: "scene";
  generation: number;
  name: string;
  shows: string;
  capabilities: string[];
  dt: number;
  camera: { from: Vector; to: Vector } | null;
  kept: [number, number];
  structure?: string;
  solver?: string;
  shapes: Shape[];
  bodies: BodyDescription[];
}

export interface StateTell {
  tell: "state";
  playing: boolean;
  frame: number;
  kept: [number, number];
  hash: string;
  structure?: string;
  solver?: string;
  /** Of the steps since the message before: the fastest, the quartiles, the slowest and the mean; null where there were none. */
  step_ms?: [number, number, number, number, number, number] | null;
  /** The same of what they took of a processor, where one thread takes them and the system tells. */
  step_cpu_ms?: [number, number, number, number, number, number] | null;
  /** Whether it plays what was recorded, and nobody has interfered. */
  recorded?: boolean;
}

export interface InspectedContact {
  slots: [number, number];
  normal: Vector;
  depth: number;
  impulse: number;
  features: [string, string];
}

export interface InspectTell {
  tell: "inspect";
  body: number;
  id: string | number;
  name: string | null;
  kind: string;
  mass: number | null;
  position: Vector;
  rotation: Quaternion;
  velocity: Vector;
  angular_velocity: Vector;
  asleep: boolean;
  island: number | null;
  colliders: {
    slot: number;
    shape: string;
    friction: number;
    restitution: number;
    density: number | null;
    sensor: boolean;
  }[];
  contacts: InspectedContact[];
  /** Sensors, each with what is in it, by slot. */
  sensed: { sensor: number; other: number }[];
}

export interface GjkStep {
  simplex: { on_a: Vector; on_b: Vector; difference: Vector }[];
  nearest: Vector;
  /** Where the next point was asked for, and what was found there; null once the search has ended. */
  direction: Vector | null;
  support: Vector | null;
  lower: number | null;
  upper: number | null;
}

export interface EpaStep {
  face: [Vector, Vector, Vector];
  normal: Vector;
  support: Vector | null;
  lower: number | null;
  upper: number | null;
  faces: number;
}

export interface SeparatingAxis {
  axis: Vector;
  gap: number;
  kind: string;
}

/** A patch of contact, in the frame of the first shape when the step began. */
export interface UsedPatch {
  parts: [number, number];
  normal: Vector;
  /** Whether its points act where they did in the step before. */
  held: boolean;
  points: { position: Vector; depth: number; impulse: number; features: [string, string] }[];
}

export interface AdvancementStep {
  time: number;
  distance: number;
  point_a: Vector;
  point_b: Vector;
  /** Where the second shape is then, in the frame of the first. */
  b?: { position: Vector; rotation: Quaternion };
}

export interface Manifold {
  normal: Vector;
  points: { position: Vector; depth: number; features: [string, string] }[];
  /** How the patches of the two became `points`; null where nothing had to be clipped. */
  clip: {
    reference_of: "A" | "B";
    /** Corners of the face that the other was clipped to; none of a half-space. */
    reference: Vector[];
    incident: Vector[];
    /** What is left of the incident face, before it is reduced. */
    clipped: Vector[];
    /** Those of its corners that are deep enough. */
    candidates: { position: Vector; depth: number }[];
  } | null;
}

export interface MicroscopeTell {
  tell: "microscope";
  slots: [number, number];
  names: [string, string];
  frame: number;
  /** Where the frame of the first shape, in which all numbers are, is in the world. */
  place: { position: Vector; rotation: Quaternion };
  poses: { position: Vector; rotation: Quaternion }[];
  /** The shapes themselves; of a mesh, the triangle that is nearest. */
  pieces: [Shape, Shape];
  /** Of the shapes without their roundings, which are `radius` together. */
  difference: { vertices: number[]; triangles: number[]; radius: number } | null;
  distance: number | null;
  answer: string;
  gjk: GjkStep[];
  epa: EpaStep[];
  axes: SeparatingAxis[];
  reasons: string[];
  manifold: Manifold | null;
  /** What the last step used, and the same found anew on the poses that it saw; `b` is where the second shape was. */
  used: {
    b: { position: Vector; rotation: Quaternion };
    world: UsedPatch[];
    anew: UsedPatch[];
    differs: boolean;
    says: string;
  } | null;
  advancement: { steps: AdvancementStep[]; ending: string } | null;
  rust_test: string | null;
}

export interface ComparedStructure {
  name: string;
  pairs_tested: number;
  pairs_true: number;
  build_ms: number;
  update_ms: number;
}

/** The same state solved by Gauss–Seidel from nothing and from the impulses of the step before: residuals by round. */
export interface ConvergenceTell {
  tell: "convergence";
  frame: number;
  cold: number[];
  warm: number[];
}

/** A bounding volume of the library around each shape that moves, as lines: two points each, in the shape's frame. */
export interface BoundsTell {
  tell: "bounds";
  generation: number;
  volume: string;
  shapes: number[][];
  colliders: { body: number; shape: number; position: Vector; rotation: Quaternion }[];
}

export interface CompareTell {
  tell: "compare";
  /** How many boxes there are, and how many of them the last step moved. */
  boxes: number;
  moved: number;
  rows: ComparedStructure[];
}

/** The session as a file that `carom view`, `replay` and `export` read. */
export interface RecordingTell {
  tell: "recording";
  name: string;
  base64: string;
}

export interface ErrorTell {
  tell: "error";
  message: string;
}

/** Something to know that is no error. */
export interface NoteTell {
  tell: "note";
  message: string;
}

export type Tell =
  | HelloTell
  | SceneTell
  | StateTell
  | InspectTell
  | MicroscopeTell
  | CompareTell
  | ConvergenceTell
  | BoundsTell
  | RecordingTell
  | NoteTell
  | ErrorTell;

export type Command =
  | { do: "play" | "pause" | "restart" | "drop" | "compare" | "converge" | "record" }
  | { do: "bounds"; volume: string }
  | { do: "step" | "back"; count: number }
  | { do: "seek"; frame: number }
  | { do: "scene"; name: string }
  | { do: "grab"; body: number; point: Vector }
  | { do: "drag"; to: Vector }
  | { do: "shoot"; from: Vector; velocity: Vector }
  | { do: "overlays"; on: string[] }
  | { do: "stream"; on: boolean }
  | { do: "inspect"; body: number }
  | { do: "microscope"; slots: [number, number] }
  | { do: "broad"; structure: string }
  | { do: "solver"; name: string }
  | { do: "speed"; factor: number };

/** Places in a frame's statistics. */
export const STATISTIC = {
  broad: 0,
  narrow: 1,
  response: 2,
  impact: 3,
  kinetic: 4,
  potential: 5,
  momentum: 6,
  angularMomentum: 9,
  pairs: 12,
  contacts: 13,
  deepest: 14,
  islands: 15,
  awake: 16,
} as const;
export const STATISTICS = 17;

/** Bits of a body's state. */
export const ASLEEP = 1;
export const SET_ASIDE = 2;
export const DISABLED = 4;

/** Names of sections by their tags. */
const SECTIONS: Record<string, string> = {
  BOXS: "boxes",
  STRU: "structure",
  PAIR: "pairs",
  CONT: "contacts",
  ISLE: "islands",
  COLR: "colours",
  VELO: "velocities",
  COMS: "centers",
  SWEP: "swept",
  HITS: "impacts",
  RESI: "convergence",
  NEAR: "close",
  WAYS: "ahead",
};

/** Where every body is after a step, and what was asked for beside it. */
export interface Frame {
  generation: number;
  frame: number;
  bodies: number;
  time: number;
  hash: string;
  /** Positions are relative to this point of the world. */
  origin: Vector;
  statistics: Float32Array;
  positions: Float32Array;
  /** x, y, z, w as value · 32767. */
  rotations: Int16Array;
  states: Uint8Array;
  sections: Map<string, Section>;
}

/** A section's bytes, to be read as words of either kind. */
export interface Section {
  floats: Float32Array;
  words: Uint32Array;
}

const MAGIC = 0x32465243;
const HEADER_BYTES = 56 + 4 * STATISTICS;

/** Reads a binary message without copying its arrays; throws where it is not a frame. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new Error("not a frame of version 2");
  const bodies = view.getUint32(12, true);
  let at = HEADER_BYTES;
  const take = (bytes: number): number => {
    const start = at;
    at += bytes;
    if (at > buffer.byteLength) throw new Error(`frame cut short at byte ${buffer.byteLength}`);
    return start;
  };
  const positions = new Float32Array(buffer, take(12 * bodies), 3 * bodies);
  const rotations = new Int16Array(buffer, take(8 * bodies), 4 * bodies);
  const states = new Uint8Array(buffer, take((bodies + 3) & ~3), bodies);
  const sections = new Map<string, Section>();
  while (at < buffer.byteLength) {
    const head = take(8);
    const tag = String.fromCharCode(...new Uint8Array(buffer, head, 4));
    const bytes = view.getUint32(head + 4, true);
    const start = take(bytes);
    const name = SECTIONS[tag];
    // A newer program may send what this page does not know.
    if (name !== undefined) {
      sections.set(name, {
        floats: new Float32Array(buffer, start, bytes >> 2),
        words: new Uint32Array(buffer, start, bytes >> 2),
      });
    }
  }
  return {
    generation: view.getUint32(4, true),
    frame: view.getUint32(8, true),
    bodies,
    time: view.getFloat64(16, true),
    hash: view.getBigUint64(24, true).toString(16).padStart(16, "0"),
    origin: [view.getFloat64(32, true), view.getFloat64(40, true), view.getFloat64(48, true)],
    statistics: new Float32Array(buffer, 56, STATISTICS),
    positions,
    rotations,
    states,
    sections,
  };
}
