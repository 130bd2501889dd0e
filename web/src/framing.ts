// What the first look at a scene holds: everything that matters, whole, in a window of any shape.

import * as THREE from "three";

/** What must be seen, as points in the drawing. */
export interface Subject {
  /** Of what moves, and of the ground that it falls on. */
  moving: THREE.Vector3[];
  /** Of each thing that stands still. */
  fixed: THREE.Vector3[][];
}

/** How much of the window, from the middle to its edges, is used. */
const SHARE = 0.94;
/** A camera that would have to go back by more than this, in distances to what it looks at, is meant to see a part only. */
const MOST_RETREAT = 0.6;

/**
 * Of what stands still, what is whole in a window of this shape matters; what the window cuts is scenery.
 * `camera` has its place and its usual field of view.
 */
export function whatMatters({ moving, fixed }: Subject, camera: THREE.PerspectiveCamera, aspect: number): THREE.Vector3[] {
  camera.updateMatrixWorld();
  const [wide, high] = slopes(camera.fov, aspect);
  const isSeen = (point: THREE.Vector3) => {
    const { x, y, z } = point.clone().applyMatrix4(camera.matrixWorldInverse);
    return Math.abs(x) <= -z * wide && Math.abs(y) <= -z * high;
  };
  return [...moving, ...fixed.filter((thing) => thing.every(isSeen)).flat()];
}

/**
 * How far to move a camera so that it holds all points, aside, up and back along its own axes: as little as that takes.
 *
 * A point at (x, y) and depth d is within the window after going back by t and aside by p if |x − p| ≤ s (d + t), with s the
 * slope of the window's edge. All points leave an interval for p that widens with t; the least t is where it is not empty.
 */
export function least(points: THREE.Vector3[], camera: THREE.PerspectiveCamera, target: THREE.Vector3): THREE.Vector3 {
  camera.updateMatrixWorld();
  const slope = slopes(camera.fov, camera.aspect).map((edge) => SHARE * edge) as [number, number];
  const low: [number, number] = [-Infinity, -Infinity];
  const high: [number, number] = [Infinity, Infinity];
  for (const point of points) {
    const { x, y, z } = point.clone().applyMatrix4(camera.matrixWorldInverse);
    [x, y].forEach((value, axis) => {
      low[axis] = Math.max(low[axis]!, value + slope[axis]! * z);
      high[axis] = Math.min(high[axis]!, value - slope[axis]! * z);
    });
  }
  const back = Math.max(0, ...[0, 1].map((axis) => (low[axis]! - high[axis]!) / (2 * slope[axis]!)));
  if (!(back <= MOST_RETREAT * camera.position.distanceTo(target))) return new THREE.Vector3();
  const aside = [0, 1].map((axis) =>
    Math.min(Math.max(0, low[axis]! - slope[axis]! * back), high[axis]! + slope[axis]! * back),
  );
  return new THREE.Vector3(aside[0], aside[1], back);
}

/** How far to the side the edges of the window are at a depth of one, and how far up. */
function slopes(field: number, aspect: number): [number, number] {
  const high = Math.tan((field * Math.PI) / 360);
  return [high * aspect, high];
}
