// The bytes of an exported recording, read: where bodies were, what state they were in, and where they touched.

import { STATISTICS, type BoundsTell, type SceneTell, type Vector } from "../protocol";

export interface Tracks {
  scene: SceneTell;
  /** Of each kept moment, rising. */
  frames: Uint32Array;
  secondsPerMoment: number;
  origin: Vector;
  positionQuantum: number;
  rotationQuantum: number;
  /** Seven of each body: x, y, z and the rotation's x, y, z, w, in quanta; one value where it never moves. */
  channels: Int32Array[];
  statistics: Float32Array;
  hashes: BigUint64Array;
  /** Of each moment, the bodies' state bits. */
  states: Uint8Array[];
  /** Of every `contactStride`th moment, its contacts; none where that is 0. */
  contacts: Int32Array[];
  contactStride: number;
  /** Bounding volumes of each kind; none where there was no room for them. */
  bounds: BoundsTell[];
}

/** Channels of a body. */
export const CHANNELS = 7;
/** Numbers of a contact: slots, features, and its values. */
export const CONTACT_KEY = 4;
export const CONTACT_VALUES = 7;
export const CONTACT = CONTACT_KEY + CONTACT_VALUES;

/** Reads the export's bytes; docs/viewer-protocol.md describes them. */
export function readTracks(buffer: ArrayBuffer): Tracks {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  let at = 0;
  const next = (count: number): number => {
    at += count;
    return at - count;
  };
  const length = view.getUint32(next(4), true);
  const scene = JSON.parse(new TextDecoder().decode(bytes.subarray(next(length), at))) as SceneTell;
  const moments = view.getUint32(next(4), true);
  const bodies = view.getUint32(next(4), true);
  const [secondsPerMoment, positionQuantum, rotationQuantum] = [0, 0, 0].map(() =>
    view.getFloat32(next(4), true),
  ) as Vector;
  const origin = [0, 0, 0].map(() => view.getFloat64(next(8), true)) as Vector;

  // Zig-zag and seven bits a byte; by arithmetic, because shifts are of 32 bits.
  const signed = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[next(1)] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  };
  // What is stored is how the change changes.
  const channel = (count: number): Int32Array => {
    const values = new Int32Array(count);
    let change = 0;
    for (let moment = 0; moment < count; moment++) {
      const stored = signed();
      if (moment === 0) values[0] = stored;
      else values[moment] = values[moment - 1]! + (change = moment === 1 ? stored : change + stored);
    }
    return values;
  };
  const channels: Int32Array[] = [];
  for (let body = 0; body < bodies; body++) {
    const count = bytes[next(1)] === 1 ? moments : 1;
    for (let each = 0; each < CHANNELS; each++) channels.push(channel(count));
  }
  const rest = (count: number): ArrayBuffer => buffer.slice(next(count), at);
  const statistics = new Float32Array(rest(4 * STATISTICS * moments));
  const hashes = new BigUint64Array(rest(8 * moments));
  const frames = new Uint32Array(rest(4 * moments));
  const states = readStates(moments, bodies, signed, () => bytes[next(1)] ?? 0);
  const contactStride = view.getUint32(next(4), true);
  const contacts: Int32Array[] = [];
  for (let moment = 0; contactStride > 0 && moment < moments; moment += contactStride) {
    contacts.push(readContacts(contacts.at(-1) ?? new Int32Array(0), signed));
  }
  const bounds = readBounds(view.getUint32(next(4), true), {
    signed,
    float: () => view.getFloat32(next(4), true),
    text: (length) => new TextDecoder().decode(bytes.subarray(next(length), at)),
  });
  return {
    scene,
    secondsPerMoment,
    positionQuantum,
    rotationQuantum,
    origin,
    channels,
    statistics,
    hashes,
    frames,
    states,
    contacts,
    contactStride,
    bounds,
  };
}

/** Ends of the lines of bounding volumes are in steps of this, in metres. */
const BOUNDS_QUANTUM = 1e-4;

interface Reader {
  signed(): number;
  float(): number;
  text(length: number): string;
}

/** Bounding volumes, in the form in which a running program tells them. */
function readBounds(volumes: number, { signed, float, text }: Reader): BoundsTell[] {
  if (volumes === 0) return [];
  const many = <Item>(count: number, item: () => Item) => Array.from({ length: count }, item);
  const colliders = many(signed(), () => {
    const [body, shape] = [signed(), signed()];
    return { body, shape, position: many(3, float) as Vector, rotation: many(4, float) as BoundsTell["colliders"][number]["rotation"] };
  });
  const lines = (): number[] => {
    const last = [0, 0, 0];
    const ends = new Array<number>(6 * signed());
    for (let at = 0; at < ends.length; at++) ends[at] = (last[at % 3]! += signed()) * BOUNDS_QUANTUM;
    return ends;
  };
  return many(volumes, () => {
    const volume = text(signed());
    return { tell: "bounds", generation: 0, volume, shapes: many(signed(), lines), colliders };
  });
}

/** Moments in which nothing changes share one array. */
function readStates(moments: number, bodies: number, signed: () => number, byte: () => number): Uint8Array[] {
  const states: Uint8Array[] = [];
  let last: Uint8Array = new Uint8Array(bodies);
  for (let moment = 0; moment < moments; moment++) {
    const changes = signed();
    if (changes > 0) last = last.slice();
    let body = 0;
    for (let change = 0; change < changes; change++) {
      body += signed();
      last[body] = byte();
    }
    states.push(last);
  }
  return states;
}

/** The contacts of a moment, from those of the one before. */
function readContacts(before: Int32Array, signed: () => number): Int32Array {
  const gone = new Set<number>();
  let place = 0;
  for (let left = signed(); left > 0; left--) gone.add((place += signed()));
  const left: number[] = [];
  for (let contact = 0; contact < before.length / CONTACT; contact++) if (!gone.has(contact)) left.push(contact);
  const kept = new Int32Array(left.length * CONTACT);
  left.forEach((contact, index) => {
    kept.set(before.subarray(contact * CONTACT, (contact + 1) * CONTACT), index * CONTACT);
  });
  for (let value = CONTACT_KEY; value < CONTACT; value++) {
    for (let at = value; at < kept.length; at += CONTACT) kept[at]! += signed();
  }
  const added = signed() * CONTACT;
  const all = new Int32Array(kept.length + added);
  all.set(kept);
  for (let at = kept.length; at < all.length; at++) all[at] = signed();
  return all;
}
