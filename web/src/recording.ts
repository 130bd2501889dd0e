// A recording inside the page: plays without a program and without a network.

import { fromBase64 } from "./dom";
import { STATISTICS, type Command, type Frame } from "./protocol";
import { SECTIONS, sectionOf } from "./recorded/sections";
import { CHANNELS, readTracks, type Tracks } from "./recorded/tracks";
import type { Listener, Source } from "./source";

/** The text of the recording that was put into this page, if there is one. */
export function embeddedRecording(): string | null {
  return document.getElementById("recording")?.textContent?.trim() ?? null;
}

export class RecordedSource implements Source {
  readonly recorded = true;
  private listener: Listener | null = null;
  /** Which of the kept moments is shown. */
  private shown = 0;
  private playing = true;
  private speed = 1;
  private time = 0;
  private tickedAt = 0;
  private wanted: readonly string[] = [];

  private constructor(private readonly tracks: Tracks) {}

  static async decode(base64: string): Promise<RecordedSource> {
    const stream = new Blob([fromBase64(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new RecordedSource(readTracks(await new Response(stream).arrayBuffer()));
  }

  get apart(): number {
    const [first = 0, second = first + 1] = this.tracks.frames;
    return second - first;
  }

  missing(section: string): string | null {
    if (section === "bounds") {
      const left = this.tracks.bounds.length === 0;
      return left ? "There were more shapes than fit into the page with their bounds: open the recording with `carom view`" : null;
    }
    if (!SECTIONS.includes(section)) return "Not kept in an exported page, which has poses, contacts and bounds; the engine makes the rest anew in each step: open the recording with `carom view`";
    const left = section === "contacts" && this.tracks.contactStride === 0;
    return left ? "There were more contacts than fit into the page: open the recording with `carom view`" : null;
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
      threads: null,
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
      case "overlays":
        this.wanted = command.on;
        this.show(this.shown, this.time);
        return;
      case "bounds":
        for (const bounds of this.tracks.bounds) if (bounds.volume === command.volume) this.listener?.tell(bounds);
        return;
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
    this.show(due, this.time);
    if (this.shown < this.last()) return;
    this.playing = false;
    this.tellState();
  }

  private show(moment: number, time?: number): void {
    this.shown = Math.min(Math.max(moment, 0), this.last());
    this.time = time ?? this.shown * this.tracks.secondsPerMoment;
    this.listener?.frame(momentOf(this.tracks, this.shown, this.wanted));
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
function momentOf(tracks: Tracks, moment: number, wanted: readonly string[]): Frame {
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
    states: tracks.states[moment] ?? new Uint8Array(bodies),
    sections: new Map(wanted.flatMap((name) => sectionOf(tracks, moment, name))),
  };
}

function hashText(hash: bigint | undefined): string {
  return hash === undefined ? "" : hash.toString(16).padStart(16, "0");
}
