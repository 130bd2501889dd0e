// A recording inside the page: plays without a program and without a network.

import { fromBase64 } from "./dom";
import { STATISTICS, type Command, type Frame, type SceneTell, type Vector } from "./protocol";
import type { Listener, Source } from "./source";

/** The text of the recording that was put into this page, if there is one. */
export function embeddedRecording(): string | null {
  return document.getElementById("recording")?.textContent?.trim() ?? null;
}

interface Tracks {
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
}

const CHANNELS = 7;

export class RecordedSource implements Source {
  readonly recorded = true;
  private listener: Listener | null = null;
  /** Which of the kept moments is shown. */
  private shown = 0;
  private playing = true;
  private speed = 1;
  private time = 0;
  private tickedAt = 0;

  private constructor(private readonly tracks: Tracks) {}

  static async decode(base64: string): Promise<RecordedSource> {
    const stream = new Blob([fromBase64(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new RecordedSource(readTracks(await new Response(stream).arrayBuffer()));
  }

  start(listener: Listener): void {
    this.listener = listener;
    const { scene } = this.tracks;
    listener.connection("open");
    const { name, shows, capabilities } = scene;
    listener.tell({
      tell: "hello",
      version: "recording",
      scenes: [{ name, shows, capabilities }],
      structures: [],
      solvers: [],
      can_control: false,
    });
    listener.tell({ ...scene, tell: "scene", generation: 0, kept: this.kept() });
    this.show(0);
    this.tellState();
    const tick = (now: number) => {
      const passed = this.tickedAt === 0 ? 0 : (now - this.tickedAt) / 1000;
      this.tickedAt = now;
      if (this.playing) this.advance(Math.min(passed, 0.1) * this.speed);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  send(command: Command): void {
    switch (command.do) {
      case "play":
        if (this.shown === this.last()) this.show(0);
        this.playing = true;
        break;
      case "pause":
        this.playing = false;
        break;
      case "restart":
        this.show(0);
        break;
      case "step":
      case "back":
        this.playing = false;
        this.show(this.shown + (command.do === "step" ? command.count : -command.count));
        break;
      case "seek":
        this.playing = false;
        this.show(
          Math.max(
            this.tracks.frames.findLastIndex((frame) => frame <= command.frame),
            0,
          ),
        );
        break;
      case "speed":
        this.speed = command.factor;
        break;
      default:
        return;
    }
    this.tellState();
  }

  private last(): number {
    return this.tracks.frames.length - 1;
  }

  private kept(): [number, number] {
    return [this.tracks.frames[0] ?? 0, this.tracks.frames[this.last()] ?? 0];
  }

  private advance(seconds: number): void {
    this.time += seconds;
    const due = Math.floor(this.time / this.tracks.secondsPerMoment);
    if (due <= this.shown) return;
    const time = this.time;
    this.show(due);
    this.time = time;
    if (this.shown < this.last()) return;
    this.playing = false;
    this.tellState();
  }

  private show(moment: number): void {
    this.shown = Math.min(Math.max(moment, 0), this.last());
    this.time = this.shown * this.tracks.secondsPerMoment;
    this.listener?.frame(momentOf(this.tracks, this.shown));
  }

  private tellState(): void {
    const { frames, hashes } = this.tracks;
    const hash = hashText(hashes[this.shown]);
    this.listener?.tell({
      tell: "state",
      playing: this.playing,
      frame: frames[this.shown] ?? 0,
      kept: this.kept(),
      hash,
    });
  }
}

/** A kept moment in the form in which frames come from a running program. */
function momentOf(tracks: Tracks, moment: number): Frame {
  const { scene, channels, positionQuantum, rotationQuantum, statistics, secondsPerMoment } = tracks;
  const bodies = scene.bodies.length;
  const positions = new Float32Array(3 * bodies);
  const rotations = new Int16Array(4 * bodies);
  for (let body = 0; body < bodies; body++) {
    const at = (channel: number): number => {
      const values = channels[CHANNELS * body + channel]!;
      return values[Math.min(moment, values.length - 1)]!;
    };
    for (let axis = 0; axis < 3; axis++) positions[3 * body + axis] = at(axis) * positionQuantum;
    for (let axis = 0; axis < 4; axis++)
      rotations[4 * body + axis] = Math.round(at(3 + axis) * rotationQuantum * 32767);
  }
  return {
    generation: 0,
    frame: tracks.frames[moment] ?? moment,
    bodies,
    time: moment * secondsPerMoment,
    hash: hashText(tracks.hashes[moment]),
    origin: tracks.origin,
    statistics: statistics.subarray(STATISTICS * moment, STATISTICS * (moment + 1)),
    positions,
    rotations,
    states: new Uint8Array(bodies),
    sections: new Map(),
  };
}

function hashText(hash: bigint | undefined): string {
  return hash === undefined ? "" : hash.toString(16).padStart(16, "0");
}

/** Reads the export's bytes; docs/viewer-protocol.md describes them. */
function readTracks(buffer: ArrayBuffer): Tracks {
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
  return {
    scene,
    secondsPerMoment,
    positionQuantum,
    rotationQuantum,
    origin,
    channels,
    statistics: new Float32Array(rest(4 * STATISTICS * moments)),
    hashes: new BigUint64Array(rest(8 * moments)),
    frames: new Uint32Array(rest(4 * moments)),
  };
}
