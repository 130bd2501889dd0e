// A recording inside the page: plays without a program and without a network.

import { STATISTICS, type Command, type Frame, type SceneTell } from "./protocol";
import type { Listener, Source } from "./source";

/** The text of the recording that was put into this page, if there is one. */
export function embeddedRecording(): string | null {
  return document.getElementById("recording")?.textContent?.trim() ?? null;
}

interface Tracks {
  scene: SceneTell;
  frames: number;
  secondsPerFrame: number;
  /** x, y, z of each body in each frame, body by body, in steps of the quantum. */
  positions: Int32Array[];
  quantum: number;
  rotations: Int16Array[];
  statistics: Float32Array;
}

export class RecordedSource implements Source {
  readonly recorded = true;
  private listener: Listener | null = null;
  private shown = 0;
  private playing = true;
  private speed = 1;
  private time = 0;
  private last = 0;

  private constructor(private readonly tracks: Tracks) {}

  static async decode(base64: string): Promise<RecordedSource> {
    const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
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
    listener.tell({ ...scene, tell: "scene", generation: 0, kept: [0, this.tracks.frames - 1] });
    this.show(0);
    const tick = (now: number) => {
      const passed = this.last === 0 ? 0 : (now - this.last) / 1000;
      this.last = now;
      if (this.playing) this.advance(Math.min(passed, 0.1) * this.speed);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  send(command: Command): void {
    switch (command.do) {
      case "play":
        if (this.shown === this.tracks.frames - 1) this.show(0);
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
        this.show(command.frame);
        break;
      case "speed":
        this.speed = command.factor;
        break;
      default:
        return;
    }
    this.tellState();
  }

  private advance(seconds: number): void {
    this.time += seconds;
    const due = Math.floor(this.time / this.tracks.secondsPerFrame);
    if (due <= this.shown) return;
    const time = this.time;
    this.show(due);
    this.time = time;
    if (this.shown < this.tracks.frames - 1) return;
    this.playing = false;
    this.tellState();
  }

  private show(frame: number): void {
    this.shown = Math.min(Math.max(frame, 0), this.tracks.frames - 1);
    this.time = this.shown * this.tracks.secondsPerFrame;
    this.listener?.frame(this.frameAt(this.shown));
    this.tellState();
  }

  private tellState(): void {
    this.listener?.tell({
      tell: "state",
      playing: this.playing,
      frame: this.shown,
      kept: [0, this.tracks.frames - 1],
      hash: "",
    });
  }

  private frameAt(frame: number): Frame {
    const { scene, positions, rotations, quantum, statistics, secondsPerFrame } = this.tracks;
    const bodies = scene.bodies.length;
    const places = new Float32Array(3 * bodies);
    const turns = new Int16Array(4 * bodies);
    for (let index = 0; index < 3 * bodies; index++) places[index] = positions[index]![frame]! * quantum;
    for (let index = 0; index < 4 * bodies; index++) turns[index] = rotations[index]![frame]!;
    return {
      generation: 0,
      frame,
      bodies,
      time: frame * secondsPerFrame,
      hash: "",
      origin: [0, 0, 0],
      statistics: statistics.subarray(STATISTICS * frame, STATISTICS * (frame + 1)),
      positions: places,
      rotations: turns,
      states: new Uint8Array(bodies),
      sections: new Map(),
    };
  }
}

/** Reads the export's bytes; docs/viewer-protocol.md describes them. */
function readTracks(buffer: ArrayBuffer): Tracks {
  const view = new DataView(buffer);
  let at = 0;
  const next = (bytes: number): number => {
    at += bytes;
    return at - bytes;
  };
  const length = view.getUint32(next(4), true);
  const scene = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, next(length), length))) as SceneTell;
  const frames = view.getUint32(next(4), true);
  const secondsPerFrame = view.getFloat32(next(4), true);
  const quantum = view.getFloat32(next(4), true);
  const signed = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = view.getUint8(next(1));
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const track = <Values extends Int32Array | Int16Array>(values: Values): Values => {
    let sum = 0;
    for (let frame = 0; frame < frames; frame++) values[frame] = sum += signed();
    return values;
  };
  const positions: Int32Array[] = [];
  const rotations: Int16Array[] = [];
  for (let body = 0; body < scene.bodies.length; body++) {
    for (let axis = 0; axis < 3; axis++) positions.push(track(new Int32Array(frames)));
    for (let axis = 0; axis < 4; axis++) rotations.push(track(new Int16Array(frames)));
  }
  const statistics = new Float32Array(frames * STATISTICS);
  for (let index = 0; index < statistics.length; index++) statistics[index] = view.getFloat32(next(4), true);
  return { scene, frames, secondsPerFrame, positions, quantum, rotations, statistics };
}
