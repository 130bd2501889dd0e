// Statistics of the last frames, in columns, for the plots.

import { STATISTICS, type Frame } from "../protocol";

const MOST = 600;

export class History {
  /** Frame numbers, rising. */
  readonly frames: number[] = [];
  /** A column for each statistic. */
  readonly columns: number[][] = Array.from({ length: STATISTICS }, () => []);

  clear(): void {
    this.truncate(0);
  }

  add(frame: Frame): void {
    // After going back, what came later has not happened yet.
    const later = this.frames.findLastIndex((number) => number < frame.frame) + 1;
    this.truncate(later);
    this.frames.push(frame.frame);
    this.columns.forEach((column, index) => column.push(frame.statistics[index]!));
    if (this.frames.length <= MOST) return;
    this.frames.shift();
    for (const column of this.columns) column.shift();
  }

  private truncate(length: number): void {
    this.frames.length = length;
    for (const column of this.columns) column.length = length;
  }
}
