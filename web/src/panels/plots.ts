// The tab with plots over the last frames, the solver's convergence and the comparison of broad phases.

import { BLUE, GREEN, numbered, ORANGE, PURPLE, SKY, VERMILION } from "../colours";
import { element } from "../dom";
import type { Overlays } from "../overlays/all";
import { STATISTIC } from "../protocol";
import type { Session } from "../session";
import type { Tab } from "../sidebar";
import { Chart } from "./chart";
import { Comparison } from "./comparison";
import { History } from "./history";

const MOST_CURVES = 4;
const REDRAW_MS = 100;

export class Plots implements Tab {
  readonly name = "Plots";
  readonly root = element("section");
  private readonly history = new History();
  private readonly comparison: Comparison;
  private readonly curves = new Map<string, number[]>();
  private readonly convergence = element("div");
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
    session.on("scene", ({ name }) => {
      const threads = session.hello?.threads ?? null;
      if (threads !== null) this.stages.remark(threads === 1 ? "by 1 thread" : `by ${threads} threads`);
      // A ball more is no other scene.
      if (name === this.scene) return;
      this.scene = name;
      this.history.clear();
      this.curves.clear();
      this.drawCurves();
    });
    session.on("frame", (frame) => {
      this.history.add(frame, session.source.apart, session.playing);
      const residuals = frame.sections.get("convergence")?.floats;
      if (residuals !== undefined && residuals.length > 0) this.keepCurve([...residuals]);
      this.later();
    });
  }

  /** What is plotted over which frames, for tests; NaN where a line has a gap. */
  get plotted(): { frames: number[]; kinetic: number[] } {
    return { frames: this.history.frames, kinetic: this.history.columns[STATISTIC.kinetic]! };
  }

  shown(visible: boolean): void {
    this.visible = visible;
    this.overlays.need(this.name, "convergence", visible);
    this.comparison.shown(visible);
    if (visible) this.draw();
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

  /** The last curve of each solver stays, so that cold and warm starts can be compared. */
  private keepCurve(residuals: number[]): void {
    const name = this.session.solver ?? "solver";
    this.curves.delete(name);
    this.curves.set(name, residuals);
    const oldest = this.curves.keys().next().value;
    if (this.curves.size > MOST_CURVES && oldest !== undefined) this.curves.delete(oldest);
  }

  private readonly solverPicker = element("select", { "aria-label": "Solver", title: "Solver" });
  private curveChart: { names: string; chart: Chart } | null = null;

  private drawCurves(): void {
    this.showSolvers();
    const names = [...this.curves.keys()];
    const key = names.join("\n");
    if (this.curveChart?.names !== key || !this.convergence.hasChildNodes()) {
      const lines = names.map((label, index) => ({ label, colour: `#${numbered(index).getHexString()}` }));
      const unit = "log₁₀ of the residual, by round";
      const chart = new Chart({ title: "Convergence", unit, along: "round", lines });
      this.curveChart = { names: key, chart };
      const note = element("p", { class: "note" });
      note.textContent =
        names.length === 0
          ? "The soft solver has no rounds to watch. Choose a Gauss–Seidel solver to see its residual fall."
          : "Choose another solver: the last curve of each stays.";
      this.convergence.replaceChildren(
        element("label", { class: "pick" }, "Solver", this.solverPicker),
        chart.root,
        note,
      );
      chart.root.hidden = names.length === 0;
    }
    const rounds = Math.max(0, ...[...this.curves.values()].map(({ length }) => length));
    const along = Array.from({ length: rounds }, (_, index) => index + 1);
    const columns = [...this.curves.values()].map((curve) =>
      along.map((_, index) => Math.log10(Math.max(curve[index] ?? NaN, 1e-12))),
    );
    this.curveChart?.chart.set(along, columns);
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
