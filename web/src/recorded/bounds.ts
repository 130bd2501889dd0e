// The box along the axes around a shape at a pose, by its support along each axis.

import * as THREE from "three";
import type { Shape, Vector } from "../protocol";

/** The box; null for a half-space, which has none. */
export function boundsOf(shape: Shape, position: THREE.Vector3, rotation: THREE.Quaternion): THREE.Box3 | null {
  if (shape.half_space) return null;
  const back = rotation.clone().invert();
  const box = new THREE.Box3(position.clone(), position.clone());
  for (let axis = 0; axis < 3; axis++) {
    const along = new THREE.Vector3().setComponent(axis, 1).applyQuaternion(back);
    box.max.setComponent(axis, position.getComponent(axis) + reach(shape, along));
    box.min.setComponent(axis, position.getComponent(axis) - reach(shape, along.negate()));
  }
  return box;
}

/** How far a shape reaches along a unit direction from its own origin. */
function reach(shape: Shape, along: THREE.Vector3): number {
  const { x, y, z } = along;
  const dot = ([px, py, pz]: Vector) => px * x + py * y + pz * z;
  const { segment, triangle, sphere, cuboid, capsule, cylinder, cone, ellipsoid, surface } = shape;
  const across = Math.hypot(x, z);
  if (sphere) return sphere.radius;
  if (cuboid) {
    const [hx, hy, hz] = cuboid.half_extents;
    return Math.abs(x) * hx + Math.abs(y) * hy + Math.abs(z) * hz + (cuboid.radius ?? 0);
  }
  if (capsule) return Math.max(dot(capsule.a), dot(capsule.b)) + capsule.radius;
  if (segment) return Math.max(dot(segment.a), dot(segment.b));
  if (cylinder) return Math.abs(y) * cylinder.half_height + across * cylinder.radius;
  if (cone) return Math.max(y * cone.half_height, across * cone.radius - y * cone.half_height);
  if (ellipsoid) return Math.hypot(x * ellipsoid.radii[0], y * ellipsoid.radii[1], z * ellipsoid.radii[2]);
  if (triangle) return Math.max(dot(triangle.a), dot(triangle.b), dot(triangle.c)) + (triangle.radius ?? 0);
  if (surface) {
    let most = -Infinity;
    const { vertices } = surface;
    for (let at = 0; at < vertices.length; at += 3) {
      most = Math.max(most, dot([vertices[at]!, vertices[at + 1]!, vertices[at + 2]!]));
    }
    return most;
  }
  return 0;
}
