// Statistics of the last frames, in columns, for the plots.

import { STATISTICS, type Frame } from "../protocol";

const MOST = 600;
/** While playing, a late update leaves out so many frames at the most. */
const MOST_LEFT_OUT = 30;

export class History {
  /** Frame numbers, rising. */
  readonly frames: number[] = [];
  /** A column for each statistic; NaN where nothing is known. */
  readonly columns: number[][] = Array.from({ length: STATISTICS }, () => []);

  clear(): void {
    this.truncate(0);
  }

  /** Takes a frame in; frames come this far `apart`, or a little farther while they are `played`. */
  add(frame: Frame, apart: number, played: boolean): void {
    // After going back, what came later has not happened yet.
    const later = this.frames.findLastIndex((number) => number < frame.frame) + 1;
    this.truncate(later);
    // Nothing is known of what was jumped over: a row without numbers keeps lines from crossing it.
    const before = this.frames.at(-1) ?? frame.frame;
    if (frame.frame - before > (played ? Math.max(apart, MOST_LEFT_OUT) : apart))
      this.push((before + frame.frame) / 2, () => NaN);
    this.push(frame.frame, (index) => frame.statistics[index]!);
  }

  private push(frame: number, value: (statistic: number) => number): void {
    this.frames.push(frame);
    this.columns.forEach((column, index) => column.push(value(index)));
    if (this.frames.length <= MOST) return;
    this.frames.shift();
    for (const column of this.columns) column.shift();
  }

  private truncate(length: number): void {
    this.frames.length = length;
    for (const column of this.columns) column.length = length;
  }
}
