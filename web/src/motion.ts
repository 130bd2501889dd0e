// Smooth motion: while playing, bodies are drawn on the way from the last frame to the newest. Paused, exactly there.

import type { Bodies } from "./bodies";
import type { Session } from "./session";

/** Frames further apart than this are jumps, not motion. */
const MOST_BLENDED = 8;
const [SHORTEST_MS, LONGEST_MS] = [4, 250];

export class Motion {
  private arrivedAt = 0;
  private interval = 1000 / 60;
  private due = false;
  private unfinished = false;

  constructor(
    private readonly session: Session,
    private readonly bodies: Bodies,
  ) {
    session.on("frame", () => {
      const now = performance.now();
      this.interval = Math.min(Math.max(now - this.arrivedAt, SHORTEST_MS), LONGEST_MS);
      this.arrivedAt = now;
      this.due = true;
    });
  }

  /** Moves the bodies for a picture; says whether they moved, and whether a frame has come since the last one. */
  place(): { moved: boolean; arrived: boolean } {
    const { newest, previous, playing } = this.session;
    const arrived = this.due;
    if (newest === null || (!arrived && !this.unfinished)) return { moved: false, arrived: false };
    const share = Math.min((performance.now() - this.arrivedAt) / this.interval, 1);
    const blend = playing && previous !== null && Math.abs(newest.frame - previous.frame) <= MOST_BLENDED;
    this.bodies.place(newest, blend ? previous : null, share);
    this.due = false;
    this.unfinished = blend && share < 1;
    return { moved: true, arrived };
  }
}
