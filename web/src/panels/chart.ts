// A small plot in the page's colours.

import uPlot from "uplot";
import { element } from "../dom";
import { onTheme } from "../theme";

export interface Line {
  label: string;
  colour: string;
}

export interface ChartOptions {
  title: string;
  unit: string;
  /** What is counted along x. */
  along: string;
  lines: Line[];
  /** Areas one on the other instead of lines. */
  stacked?: boolean;
}

const HEIGHT = 110;

export class Chart {
  readonly root: HTMLElement;
  private plot: uPlot | null = null;
  private data: uPlot.AlignedData;
  private readonly place = element("div", { class: "chart" });
  private readonly unit = element("small");

  constructor(private readonly options: ChartOptions) {
    this.data = [[], ...options.lines.map(() => [])];
    const keys = options.lines.map(({ label, colour }) =>
      element("span", {}, element("i", { class: "swatch", style: `background:${colour}` }), label),
    );
    const head = element("h3", {}, options.title, this.unit);
    this.unit.textContent = options.unit;
    this.root = element("div", { class: "plot" }, head, element("div", { class: "keys" }, ...keys), this.place);
    onTheme(() => this.remake());
    new ResizeObserver(() => this.fit()).observe(this.place);
  }

  /** Takes what is to be drawn; a line has a gap where it is NaN. */
  set(along: number[], columns: number[][]): void {
    const shown = this.options.stacked ? stack(columns) : columns;
    this.data = [along, ...shown.map((column) => column.map((value) => (Number.isNaN(value) ? null : value)))];
    if (this.place.clientWidth > 0) this.plot?.setData(this.data);
    // Out of the page, or in a hidden tab: once it is back, perhaps as large as before, nobody else would tell it.
    else requestAnimationFrame(() => this.fit());
  }

  /** Says more of how it was measured. */
  remark(text: string): void {
    this.unit.textContent = `${this.options.unit}, ${text}`;
  }

  private fit(): void {
    if (this.place.clientWidth === 0) return;
    if (this.plot === null) this.remake();
    this.plot?.setSize({ width: this.place.clientWidth, height: HEIGHT });
    this.plot?.setData(this.data);
  }

  private remake(): void {
    this.plot?.destroy();
    this.plot = null;
    if (this.place.clientWidth === 0) return;
    const style = getComputedStyle(document.documentElement);
    const [ink, rule] = ["--quiet", "--rule"].map((name) => style.getPropertyValue(name).trim()) as [string, string];
    const axis = { stroke: ink, grid: { stroke: rule, width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const { lines, stacked = false, along } = this.options;
    this.plot = new uPlot(
      {
        width: this.place.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false } },
        axes: [
          {
            ...axis,
            size: 22,
            values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? String(tick) : "")),
          },
          { ...axis, size: 46, values: (_, ticks) => ticks.map(tickText) },
        ],
        series: [
          { label: along },
          ...lines.map(({ label, colour }) => ({
            label,
            stroke: colour,
            width: 1.5,
            // Lines need none; a value alone between two gaps has no line.
            points: { show: false, filter: (plot: uPlot, series: number) => alone(plot.data[series]!), size: 4, fill: colour },
            ...(stacked ? { fill: `${colour}66` } : {}),
          })),
        ],
        ...(stacked
          ? { bands: lines.slice(1).map((_, index) => ({ series: [index + 2, index + 1] as [number, number] })) }
          : {}),
      },
      this.data,
      this.place,
    );
  }
}

/** As few letters as say it: there is little room beside a plot. */
function tickText(value: number): string {
  const size = Math.abs(value);
  const plain = size === 0 || (size >= 1e-3 && size < 1e5);
  return plain ? String(Number(value.toPrecision(4))) : Number(value.toPrecision(3)).toExponential().replace("+", "");
}

/** The places of values whose neighbours are missing; nothing if there are none. */
function alone(column: ArrayLike<number | null | undefined>): number[] | null {
  const isKnown = (index: number) => (column[index] ?? null) !== null;
  const places = Array.from(column, (_, index) => index);
  const found = places.filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1));
  return found.length === 0 ? null : found;
}

/** Each column on top of those before it. */
function stack(columns: number[][]): number[][] {
  const sums: number[][] = [];
  for (const column of columns) {
    const below = sums.at(-1);
    sums.push(column.map((value, index) => value + (below?.[index] ?? 0)));
  }
  return sums;
}
