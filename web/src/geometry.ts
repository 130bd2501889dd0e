// Triangles for each kind of shape. Shapes that differ by scale alone share one geometry, so that they are drawn in one
// call.

import * as THREE from "three";
import { mergeGeometries, mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import type { Shape, Surface, Vector } from "./protocol";

/** How to draw a shape: a geometry that others may share, and how it is placed in the shape's frame. */
export interface Form {
  key: string;
  make: (detail: Detail) => THREE.BufferGeometry;
  scale: THREE.Vector3;
  position: THREE.Vector3;
  rotation: THREE.Quaternion;
  /** Half-spaces have no bounds; they are drawn as a large square of ground. */
  unbounded: boolean;
  /** Has no inside: seen from both sides. */
  open: boolean;
}

/** Round shapes have fewer facets where there are thousands of them. */
export type Detail = "fine" | "coarse" | "coarsest";

/** Half the side of the square that stands for a half-space, in metres. */
export const HALF_GROUND = 500;
/** Points and segments have no thickness; they are drawn this thick, in metres. */
const THIN = 0.02;

const UP = new THREE.Vector3(0, 1, 0);
const FORWARD = new THREE.Vector3(0, 0, 1);

export function form(shape: Shape): Form {
  const place = {
    scale: new THREE.Vector3(1, 1, 1),
    position: new THREE.Vector3(),
    rotation: new THREE.Quaternion(),
    unbounded: false,
    open: false,
  };
  const { point, segment, triangle, sphere, cuboid, capsule, cylinder, cone, ellipsoid, half_space, surface } = shape;
  if (sphere) {
    place.scale.setScalar(sphere.radius);
    return { ...place, key: "sphere", make: unitSphere };
  }
  if (ellipsoid) {
    place.scale.fromArray(ellipsoid.radii);
    return { ...place, key: "sphere", make: unitSphere };
  }
  if (cuboid && !cuboid.radius) {
    place.scale.fromArray(cuboid.half_extents);
    return { ...place, key: "cuboid", make: () => new THREE.BoxGeometry(2, 2, 2) };
  }
  if (cuboid) return { ...place, key: JSON.stringify(shape), make: () => rounded(cuboidSurface(cuboid)) };
  if (cylinder) {
    place.scale.set(cylinder.radius, cylinder.half_height, cylinder.radius);
    return { ...place, key: "cylinder", make: (detail) => new THREE.CylinderGeometry(1, 1, 2, segments(detail)) };
  }
  if (cone) {
    place.scale.set(cone.radius, cone.half_height, cone.radius);
    return { ...place, key: "cone", make: (detail) => new THREE.ConeGeometry(1, 2, segments(detail)) };
  }
  if (capsule || segment) {
    const { a, b } = (capsule ?? segment)!;
    const radius = capsule?.radius ?? THIN;
    const from = new THREE.Vector3(...a);
    const along = new THREE.Vector3(...b).sub(from);
    const length = along.length();
    place.position.copy(from).addScaledVector(along, 0.5);
    if (length > 0) place.rotation.setFromUnitVectors(UP, along.divideScalar(length));
    const make = (detail: Detail) =>
      new THREE.CapsuleGeometry(radius, length, detail === "fine" ? 10 : 3, segments(detail));
    return { ...place, key: `capsule ${radius} ${length}`, make };
  }
  if (triangle) {
    const { a, b, c } = triangle;
    const flat: Surface = {
      vertices: [...a, ...b, ...c],
      triangles: [0, 1, 2, 0, 2, 1],
      edges: [0, 1, 1, 2, 2, 0],
      radius: triangle.radius ?? 0,
      kind: "triangle",
    };
    return { ...place, key: JSON.stringify(shape), make: () => rounded(flat), open: true };
  }
  if (half_space) {
    // Seen from above only: a room of half-spaces can be looked into.
    place.rotation.setFromUnitVectors(FORWARD, new THREE.Vector3(...half_space.normal).normalize());
    const make = () => new THREE.PlaneGeometry(2 * HALF_GROUND, 2 * HALF_GROUND);
    return { ...place, key: "half-space", make, unbounded: true };
  }
  if (surface) {
    const open = surface.kind === "mesh" || surface.kind === "height_field";
    return { ...place, key: surfaceKey(surface), make: () => given(surface), open };
  }
  if (point) place.scale.setScalar(THIN);
  else console.warn("a shape that this page cannot draw", shape);
  return { ...place, key: "sphere", make: unitSphere };
}

/** The name of a shape's kind, for people. */
export function shapeName(shape: Shape): string {
  return shape.surface?.kind ?? Object.keys(shape)[0]?.replace("_", "-") ?? "shape";
}

const SEGMENTS: Record<Detail, number> = { fine: 40, coarse: 12, coarsest: 7 };

function segments(detail: Detail): number {
  return SEGMENTS[detail];
}

function unitSphere(detail: Detail): THREE.BufferGeometry {
  if (detail === "coarsest") return icosahedron();
  return new THREE.SphereGeometry(1, segments(detail), Math.ceil(0.6 * segments(detail)));
}

/** Twelve corners and twenty faces: as round as so few can be, and shaded as if it were rounder. */
function icosahedron(): THREE.BufferGeometry {
  const faces = new THREE.IcosahedronGeometry(1);
  faces.deleteAttribute("normal");
  faces.deleteAttribute("uv");
  const shared = mergeVertices(faces);
  shared.setAttribute("normal", shared.getAttribute("position").clone());
  return shared;
}

/** Equal surfaces are drawn together; the sum tells apart those of one size. */
function surfaceKey({ vertices, triangles, radius }: Surface): string {
  let sum = 0;
  for (let index = 0; index < vertices.length; index++) sum = (sum * 31 + vertices[index]! * 65536) % 1e9;
  return `surface ${vertices.length} ${triangles.length} ${radius} ${sum}`;
}

function cuboidSurface({ half_extents: [x, y, z], radius = 0 }: { half_extents: Vector; radius?: number }): Surface {
  const vertices = [];
  for (let corner = 0; corner < 8; corner++) {
    vertices.push(corner & 1 ? x : -x, corner & 2 ? y : -y, corner & 4 ? z : -z);
  }
  const quads = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
  ];
  const triangles = quads.flatMap(([a, b, c, d]) => [a!, b!, c!, a!, c!, d!]);
  const edges = [];
  for (let corner = 0; corner < 8; corner++) {
    for (const bit of [1, 2, 4]) if (!(corner & bit)) edges.push(corner, corner | bit);
  }
  return { vertices, triangles, edges, radius, kind: "cuboid" };
}

/** A surface that comes with its rounding: smooth where there is one, flat faces elsewhere. */
function given({ vertices, triangles, radius, kind }: Surface): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  geometry.setIndex(triangles);
  const smooth = radius > 0 || kind === "custom";
  const faces = smooth ? geometry : geometry.toNonIndexed();
  faces.computeVertexNormals();
  return faces;
}

/** The surface, grown by its radius: faces pushed out, a tube along each edge and a ball at each corner. */
function rounded({ vertices, triangles, edges, radius }: Surface): THREE.BufferGeometry {
  const flat = new THREE.BufferGeometry();
  flat.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  flat.setIndex(triangles);
  const faces = flat.toNonIndexed();
  faces.computeVertexNormals();
  if (!(radius > 0)) return faces;

  const positions = faces.getAttribute("position");
  const normals = faces.getAttribute("normal");
  for (let index = 0; index < positions.count; index++) {
    positions.setXYZ(
      index,
      positions.getX(index) + radius * normals.getX(index),
      positions.getY(index) + radius * normals.getY(index),
      positions.getZ(index) + radius * normals.getZ(index),
    );
  }
  const parts: THREE.BufferGeometry[] = [faces];
  const vertex = (index: number) => new THREE.Vector3().fromArray(vertices, 3 * index);
  for (let index = 0; 3 * index < vertices.length; index++) {
    const at = vertex(index);
    parts.push(new THREE.SphereGeometry(radius, 12, 8).translate(at.x, at.y, at.z).toNonIndexed());
  }
  for (let index = 0; index < edges.length; index += 2) {
    const from = vertex(edges[index]!);
    const along = vertex(edges[index + 1]!).sub(from);
    const length = along.length();
    if (length === 0) continue;
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, along.clone().divideScalar(length));
    const middle = from.addScaledVector(along, 0.5);
    const tube = new THREE.CylinderGeometry(radius, radius, length, 12, 1, true);
    parts.push(tube.applyQuaternion(turn).translate(middle.x, middle.y, middle.z).toNonIndexed());
  }
  for (const part of parts) part.deleteAttribute("uv");
  return mergeGeometries(parts);
}
