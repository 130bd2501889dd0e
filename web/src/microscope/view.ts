// Two pictures side by side, seen from the same side: the shapes, and their Minkowski difference with the origin.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { BACKGROUND, BLUE, GREY, ORANGE } from "../colours";
import { form, HALF_GROUND, type Form } from "../geometry";
import { Dots, Lines } from "../overlays/drawing";
import type { MicroscopeTell, Quaternion, Vector } from "../protocol";
import { onTheme } from "../theme";

/** One of the two pictures: what stays for a pair, and what changes with each step. */
class Half {
  readonly scene = new THREE.Scene();
  readonly pair = new THREE.Group();
  readonly lines = new Lines({ width: 2.5 });
  readonly dots = new Dots(10);
  private readonly faces = new THREE.Mesh(
    new THREE.BufferGeometry(),
    new THREE.MeshBasicMaterial({
      vertexColors: true,
      transparent: true,
      opacity: 0.45,
      side: THREE.DoubleSide,
      depthWrite: false,
    }),
  );
  /** Holds all of it: turned, so that what is up in the world is up here. */
  readonly content = new THREE.Group();
  /** What is seen is in this sphere, in the frame of the first shape. */
  center = new THREE.Vector3();
  size = 1;
  private places: number[] = [];
  private colours: number[] = [];

  constructor() {
    const sun = new THREE.DirectionalLight("#ffffff", 1.6);
    sun.position.set(0.5, 1, 0.7);
    this.scene.add(sun, new THREE.HemisphereLight("#ffffff", "#8a8578", 1.6));
    this.content.add(this.pair, this.faces, this.lines.object, this.dots.object);
    this.scene.add(this.content);
  }

  begin(): void {
    this.lines.begin();
    this.dots.begin();
    this.places = [];
    this.colours = [];
  }

  triangle(corners: Vector[], colour: THREE.Color): void {
    for (const corner of corners) {
      this.places.push(...corner);
      this.colours.push(colour.r, colour.g, colour.b);
    }
  }

  end(): void {
    this.lines.end();
    this.dots.end();
    this.faces.geometry.dispose();
    this.faces.geometry = new THREE.BufferGeometry();
    this.faces.geometry.setAttribute("position", new THREE.Float32BufferAttribute(this.places, 3));
    this.faces.geometry.setAttribute("color", new THREE.Float32BufferAttribute(this.colours, 3));
  }

  clear(): void {
    this.pair.traverse((object) => {
      if (object instanceof THREE.Mesh || object instanceof THREE.LineSegments) object.geometry.dispose();
    });
    this.pair.clear();
  }
}

export class PairView {
  readonly canvas = document.createElement("canvas");
  readonly shapes = new Half();
  readonly difference = new Half();
  private renderer: THREE.WebGLRenderer | null = null;
  private readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private second: THREE.Object3D | null = null;
  private hasDifference = true;
  private due = false;

  constructor() {
    this.canvas.setAttribute("aria-label", "Left: the two shapes. Right: their Minkowski difference and the origin");
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enablePan = false;
    this.controls.addEventListener("change", () => this.touch());
    onTheme((theme) => {
      this.shapes.scene.background = this.difference.scene.background = new THREE.Color(BACKGROUND[theme]);
      this.touch();
    });
    new ResizeObserver(() => this.touch()).observe(this.canvas);
  }

  /** Takes a pair; the camera is set anew where `fit` is asked for. */
  setPair(pair: MicroscopeTell, fit: boolean): void {
    for (const half of [this.shapes, this.difference]) {
      half.clear();
      // Measured in the frame of the first shape, and turned at the end.
      half.content.quaternion.identity();
      half.content.updateMatrixWorld(true);
    }
    const forms = pair.pieces.map(form);
    const solids = forms.map((own, side) => {
      const shape = solid(own, side === 0 ? BLUE : ORANGE);
      const pose = pair.poses[side];
      if (pose !== undefined) place(shape, pose.position, pose.rotation);
      return shape;
    });
    this.shapes.pair.add(...solids);
    this.second = solids[1] ?? null;
    this.hasDifference = pair.difference !== null;
    if (pair.difference !== null) this.difference.pair.add(differenceMesh(pair.difference));
    const box = new THREE.Box3();
    solids.forEach((shape, side) => {
      if (!forms[side]!.unbounded) box.expandByObject(shape);
    });
    solids.forEach((shape, side) => {
      if (forms[side]!.unbounded) cutOut(shape, box);
    });
    const around = new THREE.Box3();
    if (pair.difference !== null) {
      const { vertices, radius } = pair.difference;
      around.setFromArray(vertices).expandByPoint(new THREE.Vector3().setScalar(radius));
      around.expandByPoint(new THREE.Vector3().setScalar(-radius));
    }
    const spheres = [box, around].map((bounds) =>
      bounds.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), 1) : bounds.getBoundingSphere(new THREE.Sphere()),
    );
    [this.shapes, this.difference].forEach((half, index) => {
      half.center = spheres[index]!.center;
      half.size = Math.max(spheres[index]!.radius, 1e-4);
      half.content.quaternion.fromArray(pair.place.rotation);
    });
    if (fit) {
      // In sizes of what is seen, which each picture has its own of.
      const distance = 1.15 / Math.sin((this.camera.fov * Math.PI) / 360);
      this.camera.position.set(0.5, 0.45, 1).normalize().multiplyScalar(distance);
      this.controls.target.set(0, 0, 0);
      this.controls.update();
    }
    this.touch();
  }

  /** Puts the second shape elsewhere, for the time slider. */
  moveSecond(position: Vector, rotation: Quaternion): void {
    if (this.second !== null) place(this.second, position, rotation);
    this.touch();
  }

  touch(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    // A second context costs memory and start-up time: made when first looked at.
    this.renderer ??= new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true });
    const { renderer, camera } = this;
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.setSize(width, height, false);
    renderer.setScissorTest(true);
    const halves = this.hasDifference ? [this.shapes, this.difference] : [this.shapes];
    const half = width / halves.length;
    camera.aspect = half / height;
    camera.updateProjectionMatrix();
    const position = camera.position.clone();
    halves.forEach(({ scene, content, center, size }, index) => {
      renderer.setViewport(index * half, 0, half - 1, height);
      renderer.setScissor(index * half, 0, half - 1, height);
      camera.position.copy(position).multiplyScalar(size).add(center.clone().applyQuaternion(content.quaternion));
      camera.near = position.length() * size * 0.01;
      camera.far = position.length() * size * 20;
      camera.updateProjectionMatrix();
      renderer.render(scene, camera);
    });
    camera.position.copy(position);
    camera.updateMatrixWorld();
  }
}

function place(object: THREE.Object3D, position: Vector, rotation: Quaternion): void {
  object.position.fromArray(position);
  object.quaternion.fromArray(rotation);
}

/** A shape that one can look into: translucent faces and its edges. */
function solid(own: Form, colour: string): THREE.Group {
  const geometry = own.make("fine");
  const material = new THREE.MeshLambertMaterial({
    color: colour,
    transparent: true,
    opacity: 0.35,
    depthWrite: false,
    side: THREE.DoubleSide,
  });
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(geometry, 20),
    new THREE.LineBasicMaterial({ color: colour }),
  );
  const inner = new THREE.Group();
  inner.add(new THREE.Mesh(geometry, material), edges);
  inner.position.copy(own.position);
  inner.quaternion.copy(own.rotation);
  inner.scale.copy(own.scale);
  const group = new THREE.Group();
  group.add(inner);
  return group;
}

/** Of a half-space, what is near the other shape: its square is drawn small and close. */
function cutOut(plane: THREE.Object3D, near: THREE.Box3): void {
  const square = plane.children[0]!;
  const sphere = near.getBoundingSphere(new THREE.Sphere());
  plane.updateMatrixWorld(true);
  const normal = new THREE.Vector3(0, 0, 1).transformDirection(square.matrixWorld);
  const height = sphere.center.clone().sub(plane.position).dot(normal);
  const below = sphere.center.clone().addScaledVector(normal, -height);
  square.position.copy(plane.worldToLocal(below));
  square.scale.setScalar((1.6 * sphere.radius) / HALF_GROUND);
}

function differenceMesh({ vertices, triangles, radius }: NonNullable<MicroscopeTell["difference"]>): THREE.Group {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  geometry.setIndex(triangles);
  const faces = geometry.toNonIndexed();
  faces.computeVertexNormals();
  const material = new THREE.MeshLambertMaterial({
    color: GREY,
    transparent: true,
    opacity: 0.3,
    depthWrite: false,
    side: THREE.DoubleSide,
  });
  const edges = new THREE.LineSegments(
    new THREE.EdgesGeometry(geometry, 10),
    new THREE.LineBasicMaterial({ color: GREY, transparent: true, opacity: 0.6 }),
  );
  const group = new THREE.Group();
  group.add(new THREE.Mesh(faces, material), edges);
  if (triangles.length === 0)
    group.add(new THREE.Points(geometry, new THREE.PointsMaterial({ color: GREY, size: 4, sizeAttenuation: false })));
  // Round shapes touch where the difference comes as near to the origin as their roundings reach.
  if (radius > 0) group.add(new THREE.Mesh(new THREE.SphereGeometry(radius, 32, 20), material.clone()));
  return group;
}
