// The bodies of a scene as instances: one draw call for each geometry, however many bodies there are.

import * as THREE from "three";
import { bodyColour, SENSOR } from "./colours";
import { form, type Form } from "./geometry";
import type { BodyDescription, Frame, SceneTell, Vector } from "./protocol";
import type { Theme } from "./theme";

/** Something drawn at an instance: a collider, or a part of a compound one. */
interface Piece {
  body: number;
  slot: number;
  shape: number;
  form: Form;
  /** In the body's frame. */
  position: THREE.Vector3;
  rotation: THREE.Quaternion;
}

interface Batch {
  look: keyof typeof MATERIALS;
  mesh: THREE.InstancedMesh;
  pieces: Piece[];
}

export interface Hit {
  body: number;
  slot: number;
  point: THREE.Vector3;
}

/** A sphere around a piece, in the drawn world. */
export interface Ball {
  center: THREE.Vector3;
  radius: number;
}

/** How far what falls rolls away from where it lands, as a share of how high it would lie there. */
const SPREAD = 0.3;
/** From how many bodies on they are drawn with fewer facets, and with fewer still. */
const [COARSE_FROM, COARSEST_FROM] = [800, 3000];

export class Bodies {
  readonly group = new THREE.Group();
  descriptions: BodyDescription[] = [];
  /** The point of the world at the origin of the drawing; f32 is not enough for scenes far from the world's origin. */
  origin: Vector = [0, 0, 0];
  /** Of each body, relative to `origin`, as drawn now. */
  positions = new Float32Array(0);
  rotations = new Float32Array(0);
  /** About half the size of a moving body, in metres: overlays are drawn to this scale. */
  typicalRadius = 0.5;
  private batches: Batch[] = [];
  private bySlot = new Map<number, Piece[]>();
  private placed = false;
  private theme: Theme = "light";

  /** Takes over a new list of bodies; `keepOrigin` where it is the same scene with a body more. */
  build(scene: SceneTell, keepOrigin: boolean): void {
    this.clear();
    this.placed &&= keepOrigin;
    this.descriptions = scene.bodies;
    this.positions = new Float32Array(3 * scene.bodies.length);
    this.rotations = new Float32Array(4 * scene.bodies.length);
    const forms = scene.shapes.map(form);
    const groups = new Map<string, Piece[]>();
    scene.bodies.forEach((description, body) => {
      for (const collider of description.colliders) {
        const own = forms[collider.shape];
        if (own === undefined) continue;
        const turn = new THREE.Quaternion(...collider.rotation);
        const position = own.position
          .clone()
          .applyQuaternion(turn)
          .add(new THREE.Vector3(...collider.position));
        const rotation = turn.multiply(own.rotation);
        const piece = { body, slot: collider.slot, shape: collider.shape, form: own, position, rotation };
        const look = collider.sensor ? "sensor" : description.kind === "fixed" ? "fixed" : "moving";
        push(groups, `${look} ${own.key}`, piece);
        push(this.bySlot, collider.slot, piece);
      }
    });
    const count = scene.bodies.length;
    const detail = count >= COARSEST_FROM ? "coarsest" : count >= COARSE_FROM ? "coarse" : "fine";
    for (const [key, pieces] of groups) {
      const look = key.split(" ", 1)[0] as keyof typeof MATERIALS;
      const own = pieces[0]!.form;
      const material = MATERIALS[look]();
      material.side = own.open ? THREE.DoubleSide : THREE.FrontSide;
      const mesh = new THREE.InstancedMesh(own.make(detail), material, pieces.length);
      mesh.castShadow = look !== "sensor" && !own.unbounded;
      mesh.receiveShadow = look !== "sensor";
      // The instances move without three.js looking, so its bounds would be stale.
      mesh.frustumCulled = false;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      this.batches.push({ look, mesh, pieces });
      this.group.add(mesh);
    }
    const radii = [...this.bySlot.values()]
      .flat()
      .filter(({ body }) => scene.bodies[body]!.kind !== "fixed")
      .map(radius);
    this.typicalRadius = radii.sort((a, b) => a - b)[radii.length >> 1] ?? 0.5;
    this.tint(() => null, this.theme);
  }

  /** Puts the bodies where they are `share` of the way from `before` to `frame`. */
  place(frame: Frame, before: Frame | null, share: number): void {
    if (!this.placed) this.origin = frame.origin;
    this.placed = true;
    const count = Math.min(frame.bodies, this.descriptions.length);
    const blend = before !== null && share < 1;
    const shift = frame.origin.map((value, axis) => value - this.origin[axis]!);
    const shiftBefore = blend ? before.origin.map((value, axis) => value - this.origin[axis]!) : shift;
    const { positions, rotations } = this;
    for (let index = 0; index < 3 * count; index++) {
      const now = frame.positions[index]! + shift[index % 3]!;
      positions[index] = blend ? mix(before.positions[index]! + shiftBefore[index % 3]!, now, share) : now;
    }
    for (let body = 0; body < count; body++) {
      const at = 4 * body;
      let x = frame.rotations[at]!;
      let y = frame.rotations[at + 1]!;
      let z = frame.rotations[at + 2]!;
      let w = frame.rotations[at + 3]!;
      if (blend) {
        const from = before.rotations;
        const dot = x * from[at]! + y * from[at + 1]! + z * from[at + 2]! + w * from[at + 3]!;
        // q and -q are the same rotation: go the short way.
        const near = dot < 0 ? -1 : 1;
        x = mix(near * from[at]!, x, share);
        y = mix(near * from[at + 1]!, y, share);
        z = mix(near * from[at + 2]!, z, share);
        w = mix(near * from[at + 3]!, w, share);
      }
      const length = Math.hypot(x, y, z, w) || 1;
      rotations[at] = x / length;
      rotations[at + 1] = y / length;
      rotations[at + 2] = z / length;
      rotations[at + 3] = w / length;
    }
    for (const { mesh, pieces } of this.batches) {
      const matrices = mesh.instanceMatrix.array as Float32Array;
      for (let index = 0; index < pieces.length; index++) this.write(pieces[index]!, matrices, 16 * index);
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** Colours each body; where `colour` gives nothing it looks as usual. */
  tint(colour: (body: number) => THREE.Color | null, theme: Theme): void {
    this.theme = theme;
    const usual = (look: Batch["look"], body: number) =>
      look === "sensor" ? SENSOR : bodyColour(body, this.descriptions[body]!.kind, theme);
    for (const { look, mesh, pieces } of this.batches) {
      pieces.forEach(({ body }, index) => mesh.setColorAt(index, colour(body) ?? usual(look, body)));
      if (mesh.instanceColor !== null) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** The first of the wanted bodies that a ray meets. */
  hit(ray: THREE.Raycaster, wanted: (body: number) => boolean = () => true): Hit | null {
    let nearest: { distance: number; hit: Hit } | null = null;
    for (const { mesh, pieces } of this.batches) {
      mesh.boundingSphere = null;
      for (const found of ray.intersectObject(mesh, false)) {
        const piece = pieces[found.instanceId ?? -1];
        if (piece === undefined || !wanted(piece.body)) continue;
        if (nearest !== null && nearest.distance <= found.distance) continue;
        nearest = { distance: found.distance, hit: { body: piece.body, slot: piece.slot, point: found.point } };
      }
    }
    return nearest?.hit ?? null;
  }

  /** The middle of what is drawn for a collider. */
  slotCenter(slot: number, target: THREE.Vector3): boolean {
    const piece = this.bySlot.get(slot)?.[0];
    if (piece === undefined) return false;
    if (piece.form.unbounded) target.copy(piece.position);
    else target.copy(boundsOf(piece.form).center);
    target.multiply(piece.form.scale).applyQuaternion(piece.rotation).add(piece.position);
    this.toWorld(piece.body, target);
    return true;
  }

  /** Whether a shape is so large beside the moving bodies that its middle says nothing. */
  wide(slot: number): boolean {
    return this.slotRadius(slot) > 8 * this.typicalRadius;
  }

  isFixed(slot: number): boolean {
    const body = this.bodyOf(slot);
    return body !== null && this.descriptions[body]!.kind === "fixed";
  }

  slotRadius(slot: number): number {
    const piece = this.bySlot.get(slot)?.[0];
    return piece === undefined ? 0 : radius(piece);
  }

  /** The centre of mass, as drawn; nothing for a body that is not there. */
  center(body: number): THREE.Vector3 | null {
    const description = this.descriptions[body];
    return description === undefined ? null : this.toWorld(body, new THREE.Vector3(...description.center));
  }

  bodyOf(slot: number): number | null {
    return this.bySlot.get(slot)?.[0]?.body ?? null;
  }

  slotName(slot: number): string {
    const body = this.bodyOf(slot);
    return body === null ? `shape ${slot}` : bodyName(this.descriptions[body]!, body);
  }

  /** Spheres around what is drawn of the bodies that `wanted` picks; half-spaces have none. */
  balls(wanted: (body: number) => boolean): Ball[] {
    const balls = [];
    for (const piece of [...this.bySlot.values()].flat()) {
      if (piece.form.unbounded || !wanted(piece.body)) continue;
      const bounds = boundsOf(piece.form);
      const center = bounds.center.clone().multiply(piece.form.scale).applyQuaternion(piece.rotation);
      this.toWorld(piece.body, center.add(piece.position));
      balls.push({ center, radius: radius(piece) });
    }
    return balls;
  }

  /** The corners of a box around each piece of the bodies that `wanted` picks; half-spaces have none. */
  corners(wanted: (body: number) => boolean): THREE.Vector3[][] {
    const found = [];
    const base = new Float32Array(16);
    for (const piece of [...this.bySlot.values()].flat()) {
      if (piece.form.unbounded || !wanted(piece.body)) continue;
      this.write(piece, base, 0);
      const { center, half } = boundsOf(piece.form);
      const matrix = new THREE.Matrix4().fromArray(base);
      const corner = (index: number) => new THREE.Vector3(index & 1, (index >> 1) & 1, index >> 2).multiplyScalar(2);
      const corners = Array.from({ length: 8 }, (_, index) => corner(index).subScalar(1).multiply(half).add(center));
      found.push(corners.map((point) => point.applyMatrix4(matrix)));
    }
    return found;
  }

  /** Where `balls` would lie on the ground below their middle: corners of it, as balls without size. */
  groundBelow(balls: Ball[]): Ball[] {
    const box = new THREE.Box3();
    for (const { center, radius } of balls) box.union(new THREE.Box3().setFromCenterAndSize(center, new THREE.Vector3().setScalar(2 * radius)));
    const down = new THREE.Raycaster(box.getCenter(new THREE.Vector3()), new THREE.Vector3(0, -1, 0));
    const found = balls.length === 0 ? null : this.hit(down, (body) => this.descriptions[body]!.kind === "fixed");
    if (found === null) return [];
    // What falls onto each other spreads, the more the higher it would be heaped up on the ground below, within measure.
    const lowest = balls.reduce((least, { center, radius }) => Math.min(least, center.y - radius), Infinity);
    const falls = lowest - found.point.y > 0.2 * this.typicalRadius;
    const { x: wide, z: long } = box.getSize(new THREE.Vector3());
    const height = balls.reduce((sum, { radius }) => sum + 8 * radius ** 3, 0) / (wide * long);
    const heaped = Math.max(height - 4 * this.typicalRadius, 0);
    const spread = falls ? Math.min(SPREAD * heaped, 0.35 * (wide + long)) : 0;
    return [box.min, box.max].flatMap(({ x }, side) =>
      [box.min, box.max].map(({ z }, other) => {
        const out = (end: number) => (end === 0 ? -spread : spread);
        return { center: new THREE.Vector3(x + out(side), found.point.y, z + out(other)), radius: 0 };
      }),
    );
  }

  /** Boxes along the axes of each piece, as matrices that take the cube from -1 to 1 there. */
  orientedBoxes(): THREE.Matrix4[] {
    const boxes = [];
    const base = new Float32Array(16);
    for (const piece of [...this.bySlot.values()].flat()) {
      if (piece.form.unbounded) continue;
      this.write(piece, base, 0);
      const { center, half } = boundsOf(piece.form);
      const matrix = new THREE.Matrix4().fromArray(base);
      const inner = new THREE.Matrix4().makeTranslation(center).scale(half);
      boxes.push(matrix.multiply(inner));
    }
    return boxes;
  }

  /** Geometries and matrices of a body's pieces, to draw its outline. */
  outline(body: number): { geometry: THREE.BufferGeometry; matrix: THREE.Matrix4 }[] {
    const parts: { geometry: THREE.BufferGeometry; matrix: THREE.Matrix4 }[] = [];
    for (const { mesh, pieces } of this.batches) {
      pieces.forEach((piece, index) => {
        if (piece.body !== body || piece.form.unbounded) return;
        const matrix = new THREE.Matrix4();
        mesh.getMatrixAt(index, matrix);
        parts.push({ geometry: mesh.geometry, matrix });
      });
    }
    return parts;
  }

  toWorld(body: number, point: THREE.Vector3): THREE.Vector3 {
    point.applyQuaternion(new THREE.Quaternion().fromArray(this.rotations, 4 * body));
    return point.add(new THREE.Vector3().fromArray(this.positions, 3 * body));
  }

  /** The difference between coordinates of a frame and those of the drawing. */
  shift(frame: Frame): THREE.Vector3 {
    return new THREE.Vector3(...frame.origin.map((value, axis) => value - this.origin[axis]!));
  }

  private write(piece: Piece, matrices: Float32Array, at: number): void {
    const b = 4 * piece.body;
    const { rotations: q, positions: p } = this;
    const bx = q[b]!;
    const by = q[b + 1]!;
    const bz = q[b + 2]!;
    const bw = q[b + 3]!;
    const { x: lx, y: ly, z: lz, w: lw } = piece.rotation;
    const x = bw * lx + bx * lw + by * lz - bz * ly;
    const y = bw * ly - bx * lz + by * lw + bz * lx;
    const z = bw * lz + bx * ly - by * lx + bz * lw;
    const w = bw * lw - bx * lx - by * ly - bz * lz;
    const { x: sx, y: sy, z: sz } = piece.form.scale;
    matrices[at] = (1 - 2 * (y * y + z * z)) * sx;
    matrices[at + 1] = 2 * (x * y + w * z) * sx;
    matrices[at + 2] = 2 * (x * z - w * y) * sx;
    matrices[at + 3] = 0;
    matrices[at + 4] = 2 * (x * y - w * z) * sy;
    matrices[at + 5] = (1 - 2 * (x * x + z * z)) * sy;
    matrices[at + 6] = 2 * (y * z + w * x) * sy;
    matrices[at + 7] = 0;
    matrices[at + 8] = 2 * (x * z + w * y) * sz;
    matrices[at + 9] = 2 * (y * z - w * x) * sz;
    matrices[at + 10] = (1 - 2 * (x * x + y * y)) * sz;
    matrices[at + 11] = 0;
    const { x: px, y: py, z: pz } = piece.position;
    const tx = 2 * (by * pz - bz * py);
    const ty = 2 * (bz * px - bx * pz);
    const tz = 2 * (bx * py - by * px);
    matrices[at + 12] = p[3 * piece.body]! + px + bw * tx + by * tz - bz * ty;
    matrices[at + 13] = p[3 * piece.body + 1]! + py + bw * ty + bz * tx - bx * tz;
    matrices[at + 14] = p[3 * piece.body + 2]! + pz + bw * tz + bx * ty - by * tx;
    matrices[at + 15] = 1;
  }

  private clear(): void {
    for (const { mesh } of this.batches) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    this.group.clear();
    this.batches = [];
    this.bySlot.clear();
  }
}

export function bodyName(description: BodyDescription, index: number): string {
  return description.name ?? `${description.kind} body ${index}`;
}

/** Of a sphere around a piece. */
function radius({ form: own }: Piece): number {
  if (own.unbounded) return Infinity;
  // Balls stay balls; the corners of a box stay on the sphere.
  if (own.key === "sphere") return Math.max(own.scale.x, own.scale.y, own.scale.z);
  return boundsOf(own).half.clone().multiply(own.scale).length();
}

/** The bounds of a form before it is scaled, measured once for each geometry. */
function boundsOf(form: Form): { center: THREE.Vector3; half: THREE.Vector3 } {
  let bounds = BOUNDS.get(form);
  if (bounds === undefined) {
    const geometry = form.make("coarse");
    geometry.computeBoundingBox();
    const box = geometry.boundingBox!;
    bounds = { center: box.getCenter(new THREE.Vector3()), half: box.getSize(new THREE.Vector3()).multiplyScalar(0.5) };
    geometry.dispose();
    BOUNDS.set(form, bounds);
  }
  return bounds;
}

const BOUNDS = new WeakMap<Form, { center: THREE.Vector3; half: THREE.Vector3 }>();

const MATERIALS = {
  moving: () => new THREE.MeshLambertMaterial(),
  fixed: () => withGrid(new THREE.MeshLambertMaterial()),
  sensor: () => new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.35, depthWrite: false }),
};

/** Lines at every metre, stronger at every tenth, so that sizes can be read off what stands still. */
function withGrid(material: THREE.MeshLambertMaterial): THREE.MeshLambertMaterial {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;\nvarying vec3 vFacing;")
      .replace(
        "#include <begin_vertex>",
        `#include <begin_vertex>
        mat4 gridMatrix = modelMatrix;
        #ifdef USE_INSTANCING
          gridMatrix = modelMatrix * instanceMatrix;
        #endif
        vPlace = (gridMatrix * vec4(position, 1.0)).xyz;
        vFacing = mat3(gridMatrix) * normal;`,
      );
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
        varying vec3 vPlace;
        varying vec3 vFacing;
        float gridLine(vec2 at, float every) {
          vec2 place = at / every;
          vec2 width = max(fwidth(place), vec2(1e-6));
          vec2 near = abs(fract(place - 0.5) - 0.5) / width;
          // Lines closer than a few pixels would shimmer.
          float fade = 1.0 - smoothstep(0.15, 0.4, max(width.x, width.y));
          return (1.0 - min(min(near.x, near.y), 1.0)) * fade;
        }`,
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        vec3 facing = abs(vFacing);
        vec2 at = facing.y >= facing.x && facing.y >= facing.z ? vPlace.xz
          : facing.x > facing.z ? vPlace.yz : vPlace.xy;
        float grid = max(0.10 * gridLine(at, 1.0), 0.22 * gridLine(at, 10.0));
        diffuseColor.rgb *= 1.0 - grid;`,
      );
  };
  return material;
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
