// The tab with plots over the last frames, the solver's convergence and the comparison of broad phases.

import { BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION } from "../colours";
import { element } from "../dom";
import type { Overlays } from "../overlays/all";
import { STATISTIC, type ConvergenceTell } from "../protocol";
import type { Session } from "../session";
import type { Tab } from "../sidebar";
import { Chart } from "./chart";
import { Comparison } from "./comparison";
import { History } from "./history";

const REDRAW_MS = 100;
/** How often a state is solved twice, at the most. */
const CONVERGENCE_MS = 1000;

export class Plots implements Tab {
  readonly name = "Plots";
  readonly root = element("section");
  private readonly history = new History();
  private readonly comparison: Comparison;
  /** The last answer about convergence, and what the solver in use told of the last frame. */
  private curves: ConvergenceTell | null = null;
  private running: number[] = [];
  /** The frame that was asked about last. */
  private askedFrame = -1;
  private readonly convergence = element("div", { class: "convergence" });
  private readonly curveChart = new Chart({
    title: "Convergence",
    unit: "log₁₀ of the residual in m/s, by round",
    along: "round",
    lines: [
      { label: "cold", colour: BLUE },
      { label: "warm", colour: VERMILION },
      { label: "in use", colour: GREY },
    ],
  });
  private scene: string | null = null;
  private visible = false;
  private waiting = false;

  private readonly stages = new Chart({
    title: "Time per stage",
    unit: "ms",
    along: "frame",
    stacked: true,
    lines: [
      { label: "broad phase", colour: BLUE },
      { label: "narrow phase", colour: ORANGE },
      { label: "response", colour: GREEN },
      { label: "time of impact", colour: VERMILION },
    ],
  });
  private readonly energy = new Chart({
    title: "Energy",
    unit: "J",
    along: "frame",
    lines: [
      { label: "kinetic", colour: VERMILION },
      { label: "potential", colour: BLUE },
      { label: "sum", colour: GREEN },
    ],
  });
  private readonly momentum = new Chart({
    title: "Momentum",
    unit: "kg m/s, kg m²/s",
    along: "frame",
    lines: [
      { label: "linear", colour: BLUE },
      { label: "angular", colour: PURPLE },
    ],
  });
  private readonly penetration = new Chart({
    title: "Deepest contact",
    unit: "m",
    along: "frame",
    lines: [{ label: "depth", colour: VERMILION }],
  });
  private readonly counts = new Chart({
    title: "Contacts",
    unit: "number",
    along: "frame",
    lines: [
      { label: "pairs", colour: SKY },
      { label: "contacts", colour: VERMILION },
      { label: "awake bodies", colour: GREEN },
    ],
  });

  constructor(
    private readonly session: Session,
    private readonly overlays: Overlays,
  ) {
    this.comparison = new Comparison(session);
    const charts = [this.stages, this.energy, this.momentum, this.penetration, this.counts];
    this.root.append(...charts.map(({ root }) => root), this.convergence, this.comparison.root);
    this.convergence.append(
      element("label", { class: "pick" }, "Solver", this.solverPicker),
      this.curveChart.root,
      this.convergenceNote,
    );
    session.on("convergence", (told) => {
      this.curves = told;
      this.later();
    });
    setInterval(() => this.askForCurves(), CONVERGENCE_MS);
    session.on("scene", ({ name }) => {
      const threads = session.hello?.threads ?? null;
      if (threads !== null) this.stages.remark(threads === 1 ? "by 1 thread" : `by ${threads} threads`);
      // A ball more is no other scene.
      if (name === this.scene) return;
      this.scene = name;
      this.history.clear();
      this.curves = null;
      this.askedFrame = -1;
      this.drawCurves();
    });
    session.on("frame", (frame) => {
      this.history.add(frame, session.source.apart, session.playing);
      this.running = [...(frame.sections.get("convergence")?.floats ?? [])];
      this.later();
    });
  }

  /** What is plotted, for tests: over which frames, NaN where a line has a gap; and the curves of convergence. */
  get plotted(): { frames: number[]; kinetic: number[]; convergence: ConvergenceTell | null } {
    const { frames, columns } = this.history;
    return { frames, kinetic: columns[STATISTIC.kinetic]!, convergence: this.curves };
  }

  shown(visible: boolean): void {
    this.visible = visible;
    this.overlays.need(this.name, "convergence", visible);
    this.comparison.shown(visible);
    if (!visible) return;
    this.askForCurves();
    this.draw();
  }

  private later(): void {
    if (!this.visible || this.waiting) return;
    this.waiting = true;
    setTimeout(() => {
      this.waiting = false;
      if (this.visible) this.draw();
    }, REDRAW_MS);
  }

  private draw(): void {
    const { frames, columns } = this.history;
    const column = (name: keyof typeof STATISTIC) => columns[STATISTIC[name]]!;
    const length = (first: number) =>
      columns[first]!.map((x, index) => Math.hypot(x, columns[first + 1]![index]!, columns[first + 2]![index]!));
    const [kinetic, potential] = [column("kinetic"), column("potential")];
    this.stages.set(frames, [column("broad"), column("narrow"), column("response"), column("impact")]);
    this.energy.set(frames, [kinetic, potential, kinetic.map((value, index) => value + potential[index]!)]);
    this.momentum.set(frames, [length(STATISTIC.momentum), length(STATISTIC.angularMomentum)]);
    this.penetration.set(frames, [column("deepest")]);
    this.counts.set(frames, [column("pairs"), column("contacts"), column("awake")]);
    this.drawCurves();
  }

  private readonly solverPicker = element("select", { "aria-label": "Solver", title: "Solver" });
  private readonly convergenceNote = element("p", { class: "note" });

  /** One state, solved from nothing and from the last step's impulses; and how the solver in use came to its end. */
  private drawCurves(): void {
    this.showSolvers();
    const { cold = [], warm = [], frame } = this.curves ?? {};
    const curves = [cold, warm, this.running];
    const rounds = Math.max(0, ...curves.map(({ length }) => length));
    const along = Array.from({ length: rounds }, (_, index) => index + 1);
    const logarithm = (value: number | undefined) => (value === undefined ? NaN : Math.log10(Math.max(value, 1e-12)));
    this.curveChart.set(
      along,
      curves.map((curve) => along.map((_, index) => logarithm(curve[index]))),
    );
    this.convergenceNote.textContent =
      frame === undefined
        ? ""
        : Math.max(0, ...cold, ...warm) === 0
          ? `Frame ${frame}: nothing that is awake touches, so there is nothing to solve.`
          : `Frame ${frame} solved twice by Gauss–Seidel: from nothing (cold), and from the impulses of the step before (warm). ` +
            (this.running.length > 0 ? "In use: what the running solver did." : "The soft solver in use has no rounds to watch.");
  }

  private askForCurves(): void {
    const frame = this.session.newest?.frame;
    if (!this.visible || this.session.source.recorded || frame === undefined || frame === this.askedFrame) return;
    this.askedFrame = frame;
    this.session.send({ do: "converge" });
  }

  private showSolvers(): void {
    const solvers = this.session.hello?.solvers ?? [];
    if (this.solverPicker.options.length !== solvers.length) {
      this.solverPicker.replaceChildren(...solvers.map((name) => element("option", { value: name }, name)));
      this.solverPicker.onchange = () => this.session.send({ do: "solver", name: this.solverPicker.value });
    }
    if (this.session.solver !== null) this.solverPicker.value = this.session.solver;
    this.convergence.hidden = solvers.length === 0;
  }
}
