// What the page knows of the running scene. Parts of the page listen here and never to each other.

import type {
  BoundsTell,
  Command,
  CompareTell,
  ConvergenceTell,
  ErrorTell,
  Frame,
  HelloTell,
  InspectTell,
  MicroscopeTell,
  NoteTell,
  RecordingTell,
  SceneTell,
  StateTell,
  Tell,
} from "./protocol";
import type { Connection, Listener, Source } from "./source";

/** What the user has picked. */
export type Selection =
  { kind: "body"; body: number; slot: number } | { kind: "contact"; slots: [number, number]; index: number } | null;

interface Events {
  hello: HelloTell;
  scene: SceneTell;
  frame: Frame;
  state: StateTell;
  inspect: InspectTell;
  microscope: MicroscopeTell;
  compare: CompareTell;
  convergence: ConvergenceTell;
  bounds: BoundsTell;
  recording: RecordingTell;
  note: NoteTell;
  error: ErrorTell;
  connection: Connection;
  select: Selection;
}

type Handlers = { [Name in keyof Events]: ((event: Events[Name]) => void)[] };

export class Session implements Listener {
  hello: HelloTell | null = null;
  scene: SceneTell | null = null;
  /** The newest frame and the one before it, if it is of the same bodies. */
  newest: Frame | null = null;
  previous: Frame | null = null;
  playing = false;
  kept: [number, number] = [0, 0];
  structure: string | null = null;
  solver: string | null = null;
  selection: Selection = null;
  /** Frames received since the page was opened. */
  updates = 0;
  private readonly handlers: Handlers = {
    hello: [],
    scene: [],
    frame: [],
    state: [],
    inspect: [],
    microscope: [],
    compare: [],
    convergence: [],
    bounds: [],
    recording: [],
    note: [],
    error: [],
    connection: [],
    select: [],
  };

  constructor(readonly source: Source) {}

  on<Name extends keyof Events>(name: Name, handler: (event: Events[Name]) => void): void {
    this.handlers[name].push(handler);
  }

  send(command: Command): void {
    // The program pauses for these, and says so after the frame that they lead to.
    if (command.do === "seek" || command.do === "step" || command.do === "back") this.playing = false;
    this.source.send(command);
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.emit("select", selection);
  }

  tell(message: Tell): void {
    switch (message.tell) {
      case "hello":
        this.hello = message;
        break;
      case "scene": {
        const other = this.scene?.name !== message.name;
        this.scene = message;
        this.kept = message.kept;
        this.newest = this.previous = null;
        this.structure = message.structure ?? this.structure;
        this.solver = message.solver ?? this.solver;
        if (other) this.select(null);
        break;
      }
      case "state":
        this.playing = message.playing;
        this.kept = message.kept;
        this.structure = message.structure ?? this.structure;
        this.solver = message.solver ?? this.solver;
        break;
      default:
    }
    this.emit(message.tell, message);
  }

  frame(frame: Frame): void {
    this.updates += 1;
    // The scene message that goes with it is on its way, or has been overtaken.
    if (frame.generation !== this.scene?.generation) return;
    this.previous = this.newest?.bodies === frame.bodies ? this.newest : null;
    this.newest = frame;
    this.emit("frame", frame);
  }

  connection(state: Connection): void {
    this.emit("connection", state);
  }

  private emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const handler of this.handlers[name]) handler(event);
  }
}
