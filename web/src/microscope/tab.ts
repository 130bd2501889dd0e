// The tab in which one pair is looked at, algorithm by algorithm and step by step.

import * as THREE from "three";
import type { Bodies } from "../bodies";
import { SKY, VERMILION } from "../colours";
import { element, iconButton, short, vectorText } from "../dom";
import type { Overlays } from "../overlays/all";
import { pairsIn } from "../overlays/pairs";
import { Chart } from "../panels/chart";
import type { MicroscopeTell } from "../protocol";
import type { Session } from "../session";
import type { Tab } from "../sidebar";
import { chosenAxis, sortedAxes, stagesOf, type Stage } from "./steps";
import { PairView } from "./view";

const MOST_PAIRS = 14;
const LIST_MS = 700;

export class Microscope implements Tab {
  readonly name = "Microscope";
  readonly root = element("section");
  /** What is under it now, for tests and links. */
  pair: MicroscopeTell | null = null;
  step = 0;
  private view: PairView | null = null;
  private stages: Stage[] = [];
  private stage = 0;
  private visible = false;
  private scene: string | null = null;
  /** The frame in which it was asked about. */
  private frame = -1;
  private readonly list = element("ul", { class: "pairs" });
  private readonly empty: HTMLElement;

  constructor(
    private readonly session: Session,
    private readonly bodies: Bodies,
    private readonly overlays: Overlays,
  ) {
    const recorded = session.source.recorded;
    this.empty = element(
      "div",
      {},
      element(
        "p",
        { class: "note" },
        recorded
          ? "A recording holds no shapes' algorithms. Open it with `carom view` to look into a pair."
          : "See how the engine decides whether two shapes touch, step by step. " +
              "Click a contact or the line of a pair where they are drawn, or a body and with Shift another; " +
              "or choose a pair that touches now or is near:",
      ),
      this.list,
    );
    this.root.append(this.empty);
    session.on("microscope", (pair) => this.open(pair));
    session.on("scene", (scene) => {
      // A ball more leaves the slots as they were; another scene does not.
      if (scene.name !== this.scene) this.close();
      this.scene = scene.name;
    });
    session.on("frame", ({ frame }) => {
      if (this.visible && this.pair !== null && frame !== this.frame) this.again();
    });
    setInterval(() => this.fillList(), LIST_MS);
  }

  shown(visible: boolean): void {
    this.visible = visible;
    this.overlays.need(this.name, "pairs", visible);
    this.fillList();
    if (visible && this.pair !== null) this.again();
  }

  private again(): void {
    if (this.pair === null) return;
    this.frame = this.session.newest?.frame ?? -1;
    this.session.send({ do: "microscope", slots: this.pair.slots });
  }

  private close(): void {
    this.pair = null;
    this.root.replaceChildren(this.empty);
  }

  private open(pair: MicroscopeTell): void {
    const before = this.pair;
    const same = before !== null && before.slots.join() === pair.slots.join();
    // Who plays on while a pair is looked at wants to see it move.
    if (!same && this.session.playing) this.session.send({ do: "pause" });
    // The same moment again: leave the reader where they are.
    if (same && JSON.stringify(before) === JSON.stringify(pair) && this.root.firstChild !== this.empty) return;
    this.pair = pair;
    this.frame = pair.frame;
    const stageBefore = this.stages[this.stage]?.name;
    this.stages = stagesOf(pair);
    const kept = same ? this.stages.findIndex(({ name }) => name === stageBefore) : 0;
    this.stage = Math.max(kept, 0);
    this.step = same ? Math.min(this.step, Math.max((this.stages[this.stage]?.steps ?? 1) - 1, 0)) : 0;
    this.view ??= new PairView();
    this.view.setPair(pair, !same);
    this.render();
  }

  /** Everything but the two pictures is small: made anew for each stage. */
  private render(): void {
    const { pair, view } = this;
    if (pair === null || view === null) return;
    const tabs = this.stages.map((stage, index) =>
      element(
        "button",
        {
          type: "button",
          "aria-pressed": String(index === this.stage),
          title: stage.title,
          click: () => {
            this.stage = index;
            this.step = 0;
            this.render();
          },
        },
        stage.name,
        element("small", {}, String(stage.steps)),
      ),
    );
    const current = this.stages[this.stage];
    this.root.replaceChildren(
      element(
        "div",
        { class: "pair-head" },
        element("h2", {}, `${pair.names[0]} and ${pair.names[1]}`),
        element("button", { type: "button", class: "plain", click: () => this.close() }, "Other pair"),
      ),
      element("p", { class: "answer" }, pair.answer, ...this.warning(pair)),
      element("div", { class: "stages", role: "group", "aria-label": "Algorithm" }, ...tabs),
    );
    if (current !== undefined) this.root.append(this.stepper(current));
    this.root.append(this.captions(pair, current), view.canvas);
    if (current !== undefined) this.root.append(...this.stageParts(current, pair));
    if (pair.rust_test !== null) this.root.append(...this.testParts(pair.rust_test));
    this.showStep();
  }

  private readonly counter = element("output");
  private readonly facts = element("table", { class: "facts" });
  private slider = element("input", { type: "range" });
  private bars: HTMLElement[] = [];
  private readonly bounds = new Chart({
    title: "Bounds",
    unit: "m, by iteration",
    along: "iteration",
    lines: [
      { label: "at least", colour: SKY },
      { label: "at most", colour: VERMILION },
    ],
  });

  /** Above all stages: the contact that pushed is not the one that is found anew. */
  private warning({ used }: MicroscopeTell): HTMLElement[] {
    if (!used?.differs) return [];
    const show = () => {
      this.stage = this.stages.findIndex(({ name }) => name === "Used");
      this.step = 0;
      this.render();
    };
    const text = "The last step used another contact than is found anew";
    return [element("button", { type: "button", class: "plain warning", title: used.says, click: show }, text)];
  }

  private captions({ difference }: MicroscopeTell, stage: Stage | undefined): HTMLElement {
    const when = stage?.times === undefined ? (stage?.name === "Used" ? " now, after the step" : "") : " now, before they move on";
    const right =
      difference === null
        ? ""
        : difference.radius > 0
          ? `A − B without roundings, and the origin${when}`
          : `A − B and the origin${when}`;
    const left = stage?.name === "Used" ? "the two shapes when the step began" : "the two shapes as they stand in the world";
    return element("div", { class: "captions" }, element("span", {}, left), element("span", {}, right));
  }

  /** Above the pictures, so that both are seen in a low window. */
  private stepper(stage: Stage): HTMLElement {
    const { times } = stage;
    this.slider = element("input", {
      type: "range",
      min: 0,
      max: times?.at(-1) ?? stage.steps - 1,
      step: times === undefined ? 1 : "any",
      value: times?.[this.step] ?? this.step,
      "aria-label": times === undefined ? "Step" : "Time",
    });
    this.slider.addEventListener("input", () => {
      const value = Number(this.slider.value);
      if (times === undefined) this.goTo(value);
      else this.goToTime(times, value);
    });
    return element(
      "div",
      { class: "stepper" },
      iconButton("back", "Previous step of the algorithm", () => this.goTo(this.step - 1)),
      this.slider,
      iconButton("step", "Next step of the algorithm", () => this.goTo(this.step + 1)),
      this.counter,
    );
  }

  private stageParts(stage: Stage, pair: MicroscopeTell): HTMLElement[] {
    const keys = stage.legend.map(([colour, text]) =>
      element("span", {}, element("i", { class: "swatch", style: `background:${colour}` }), text),
    );
    const parts: HTMLElement[] = [
      element("p", { class: "note" }, stage.title),
      element("div", { class: "keys" }, ...keys),
    ];
    this.bars = [];
    if (stage.name === "SAT") parts.push(this.axisBars(pair));
    parts.push(this.facts, this.whereabouts(pair));
    if (stage.name === "GJK" || stage.name === "EPA")
      parts.push(this.boundsOf(stage.name === "GJK" ? pair.gjk : pair.epa));
    return parts;
  }

  /** Whose coordinates all numbers are. */
  private whereabouts({ place }: MicroscopeTell): HTMLElement {
    const { position, rotation } = place;
    const text = `Numbers are in A's frame, which is at ${vectorText(position)} m in the world, turned by ${vectorText(rotation)}. `;
    return element("p", { class: "note" }, text, "The pictures stand upright as the world does.");
  }

  private boundsOf(steps: { lower: number | null; upper: number | null }[]): HTMLElement {
    const column = (name: "lower" | "upper") => steps.map((step) => step[name] ?? NaN);
    this.bounds.set(
      steps.map((_, index) => index + 1),
      [column("lower"), column("upper")],
    );
    return this.bounds.root;
  }

  private axisBars(pair: MicroscopeTell): HTMLElement {
    const sorted = sortedAxes(pair);
    const chosen = chosenAxis(pair);
    const classes = (gap: number, index: number) => `axis${gap > 0 ? " gap" : ""}${index === chosen ? " chosen" : ""}`;
    const widest = Math.max(...sorted.map(({ gap }) => Math.abs(gap)), 1e-12);
    this.bars = sorted.map(({ gap, kind }, index) =>
      element(
        "button",
        { type: "button", class: classes(gap, index), click: () => this.goTo(index) },
        element("span", { class: "extent", style: `width:${(100 * Math.abs(gap)) / widest}%` }),
        element("span", { class: "what" }, kind),
        element("span", { class: "amount" }, `${gap > 0 ? "gap" : "overlap"} ${short(Math.abs(gap))}`),
      ),
    );
    return element("div", { class: "axes" }, ...this.bars);
  }

  private testParts(code: string): HTMLElement[] {
    const copy = element("button", { type: "button", class: "plain wide" }, "Copy as Rust test");
    const details = element("details", {}, element("summary", {}, "Show the test"), element("pre", {}, code));
    copy.addEventListener("click", () => {
      navigator.clipboard.writeText(code).then(
        () => {
          copy.textContent = "Copied";
          setTimeout(() => (copy.textContent = "Copy as Rust test"), 1500);
        },
        () => (details.open = true),
      );
    });
    return [copy, details];
  }

  private goTo(step: number): void {
    const last = (this.stages[this.stage]?.steps ?? 1) - 1;
    this.step = Math.min(Math.max(step, 0), last);
    this.slider.value = String(this.stages[this.stage]?.times?.[this.step] ?? this.step);
    this.showStep();
  }

  /** A time between two steps: of the first it is known that nothing touches until the second. */
  private goToTime(times: number[], time: number): void {
    this.step = Math.max(times.findLastIndex((at) => at <= time), 0);
    const from = times[this.step] ?? 0;
    const next = times[this.step + 1] ?? from;
    this.showStep(next > from ? (time - from) / (next - from) : 0);
  }

  private showStep(between = 0): void {
    const { view, pair } = this;
    const stage = this.stages[this.stage];
    if (view === null || pair === null) return;
    const pose = pair.poses[1];
    if (pose !== undefined) view.moveSecond(pose.position, pose.rotation);
    for (const half of [view.shapes, view.difference]) half.begin();
    const ink = new THREE.Color(getComputedStyle(document.documentElement).getPropertyValue("--ink").trim());
    view.difference.dots.add(new THREE.Vector3(), ink);
    for (let axis = 0; axis < 3; axis++) {
      const out = new THREE.Vector3().setComponent(axis, 0.08 * view.difference.size);
      view.difference.lines.add(out.clone().negate(), out, ink);
    }
    const facts = stage === undefined ? [] : stage.show(this.step, view, between);
    for (const half of [view.shapes, view.difference]) half.end();
    view.touch();
    this.counter.textContent = stage === undefined ? "" : `${this.step + 1} of ${stage.steps}`;
    this.bars.forEach((bar, index) => bar.setAttribute("aria-pressed", String(index === this.step)));
    this.facts.replaceChildren(
      ...facts.map(([name, value]) =>
        element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)),
      ),
    );
  }

  /** Pairs that touch now or are near, as a way in for who has not found the mouse's. */
  private fillList(): void {
    const frame = this.session.newest;
    if (!this.visible || this.pair !== null || frame === null || this.session.source.recorded) return;
    // Those that touch come first, and two bodies tell more than a body and the ground.
    const rank = ({ slots, word }: { slots: [number, number]; word: number }) =>
      (word ? 0 : 10) + slots.filter((slot) => this.bodies.isFixed(slot)).length;
    const sorted = pairsIn(frame, "pairs").sort((a, b) => rank(a) - rank(b));
    const entries = sorted.slice(0, MOST_PAIRS).map(({ slots, word }) => {
      const look = () => this.session.send({ do: "microscope", slots });
      const text = slots.map((slot) => this.bodies.slotName(slot)).join(" and ") + (word ? "" : ", near");
      return element("li", {}, element("button", { type: "button", class: "plain wide", click: look }, text));
    });
    this.list.replaceChildren(...entries);
  }
}
