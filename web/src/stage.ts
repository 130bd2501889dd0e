// The canvas: renderer, camera, light. Draws only when something has changed.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Ball } from "./bodies";
import { BACKGROUND } from "./colours";
import { least, type Subject, whatMatters } from "./framing";
import { onTheme, type Theme } from "./theme";

/** Where the camera looks from unless the scene says so: a little from above, off the axes. */
const VIEW = new THREE.Vector3(0.55, 0.42, 1).normalize();
/** How much is seen from top to bottom, in degrees. */
const FIELD = 45;
/** Scenes that say where to look from are meant for windows of this shape. */
const USUAL_ASPECT = 1.4;
/** This many pictures on end that take longer than this are too slow. */
const SLOW_MS = 50;
const SLOW_PICTURES = 4;
const MOST_REST_MS = 300;
const MOST_CUTS = 2;
const STILL_MS = 400;

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.05, 2000);
  readonly controls: OrbitControls;
  readonly renderer: THREE.WebGLRenderer;
  /** Pictures finished since the page was opened. */
  drawn = 0;
  /** Whether to give up beauty for speed. */
  adaptive = true;
  /** Called before each picture; says whether it must be drawn. */
  prepare: () => boolean = () => false;
  private readonly sun = new THREE.DirectionalLight("#ffffff", 2.2);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#b9b2a6", 1.5);
  private dirty = true;
  private framed = false;
  /** The shape of the window that what is looked at was fitted into: in a narrower one as much is seen from side to side. */
  private aspect = 0;
  private readonly fast = !drawsInSoftware();
  private pending: WebGLSync | null = null;
  private submitted = 0;
  /** Until when nothing is drawn. */
  private rest = 0;
  private slow = 0;
  /** How much has been given up for speed, and whether it is back for a picture that stands still. */
  private cuts = 0;
  private still = false;

  constructor(readonly canvas: HTMLCanvasElement) {
    const { fast } = this;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: fast, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.touch());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(fast ? 2048 : 1024);
    this.sun.shadow.normalBias = 0.03;
    this.scene.add(this.sun, this.sun.target, this.sky);
    onTheme((theme) => this.dress(theme));
    this.fit();
    new ResizeObserver(() => this.touch()).observe(canvas.parentElement!);
    this.renderer.setAnimationLoop((now) => this.draw(now));
  }

  /** Asks for a new picture. */
  touch(): void {
    this.dirty = true;
  }

  /** Looks at all of `balls`, or from where the scene wants to be looked at; moved until it holds what matters. */
  frame(balls: Ball[], subject: Subject, from: THREE.Vector3 | null, to: THREE.Vector3 | null): void {
    this.framed = true;
    this.still = false;
    // Where the processor draws, shadows are for what stands still.
    this.cuts = this.adaptive && !this.fast ? 1 : 0;
    // The page may have been laid out since the last picture.
    this.fit();
    const box = new THREE.Box3();
    for (const { center, radius } of balls) {
      box.expandByPoint(center.clone().addScalar(radius)).expandByPoint(center.clone().addScalar(-radius));
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-2, 0, -2), new THREE.Vector3(2, 2, 2));
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const target = to ?? sphere.center;
    const narrow = Math.min(1, this.camera.aspect);
    this.aspect = from === null ? this.camera.aspect : Math.max(this.camera.aspect, USUAL_ASPECT);
    const half = Math.atan(Math.tan((FIELD * Math.PI) / 360) * narrow);
    const distance = Math.max(0.95 * (sphere.radius / Math.sin(half)), 1);
    this.camera.position.copy(from ?? target.clone().addScaledVector(VIEW, distance));
    this.controls.target.copy(target);
    this.hold(subject);
    const reach = Math.max(sphere.radius, this.camera.position.distanceTo(sphere.center));
    this.camera.near = reach / 500;
    this.camera.far = reach * 40;
    this.setField();
    // Endless ground has no edge.
    this.scene.fog = new THREE.Fog(this.background(), 4 * reach, 14 * reach);
    this.controls.update();
    this.light(sphere);
    this.touch();
  }

  /** Moves the camera so that all that matters is in the window. */
  private hold(subject: Subject): void {
    const { camera, controls } = this;
    camera.lookAt(controls.target);
    camera.fov = FIELD;
    const points = whatMatters(subject, camera, USUAL_ASPECT);
    this.setField();
    const by = least(points, camera, controls.target).applyQuaternion(camera.quaternion);
    camera.position.add(by);
    const back = camera.getWorldDirection(new THREE.Vector3());
    controls.target.add(by.addScaledVector(back, -by.dot(back)));
  }

  /** Puts the camera somewhere without looking at what is there. */
  look(from: THREE.Vector3, to: THREE.Vector3): void {
    this.camera.position.copy(from);
    this.controls.target.copy(to);
    this.controls.update();
    this.touch();
  }

  /** The ray under a point of the window. */
  ray(clientX: number, clientY: number): THREE.Raycaster {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (clientX - left)) / width - 1, 1 - (2 * (clientY - top)) / height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  /** Where a point is seen, in pixels of the window, and whether it is in front. */
  screen(point: THREE.Vector3): { x: number; y: number; visible: boolean } {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const seen = point.clone().project(this.camera);
    return { x: left + ((seen.x + 1) / 2) * width, y: top + ((1 - seen.y) / 2) * height, visible: seen.z < 1 };
  }

  private light({ center, radius }: THREE.Sphere): void {
    const reach = Math.min(Math.max(radius, 2), 80) * 1.15;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(new THREE.Vector3(0.5, 1, 0.35).normalize().multiplyScalar(3 * reach));
    const { camera } = this.sun.shadow;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = reach / 10;
    camera.far = 8 * reach;
    camera.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = reach / 400;
  }

  private background(): THREE.Color {
    return this.scene.background as THREE.Color;
  }

  private dress(theme: Theme): void {
    this.scene.background = new THREE.Color(BACKGROUND[theme]);
    this.scene.fog?.color.set(BACKGROUND[theme]);
    this.sky.intensity = theme === "dark" ? 1.0 : 1.6;
    this.sun.intensity = theme === "dark" ? 1.7 : 2.1;
    this.touch();
  }

  private draw(now: number): void {
    // An empty picture would only delay the first one of the scene.
    if (!this.framed || !this.isDone(now) || now < this.rest) return;
    if (this.prepare() || this.dirty) {
      this.dirty = false;
      this.still = false;
      this.render(now);
    } else if (this.cuts > 0 && !this.still && now - this.submitted > STILL_MS) {
      // What stands still has the time to be drawn well.
      this.still = true;
      this.render(now);
    }
  }

  private render(now: number): void {
    this.fit();
    this.renderer.render(this.scene, this.camera);
    const context = this.renderer.getContext() as WebGL2RenderingContext;
    this.pending = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
    context.flush();
    this.submitted = now;
  }

  /** Whether the last picture is finished. A queue of pictures would only make them late. */
  private isDone(now: number): boolean {
    if (this.pending === null) return true;
    const context = this.renderer.getContext() as WebGL2RenderingContext;
    if (context.getSyncParameter(this.pending, context.SYNC_STATUS) !== context.SIGNALED) return false;
    context.deleteSync(this.pending);
    this.pending = null;
    this.drawn += 1;
    const cost = now - this.submitted;
    // Where pictures are drawn by the processor, the engine needs it too.
    this.rest = cost > SLOW_MS ? now + Math.min(cost, MOST_REST_MS) : 0;
    this.slow = cost > SLOW_MS ? this.slow + 1 : 0;
    if (this.slow >= SLOW_PICTURES && this.adaptive && !this.still && this.cuts < MOST_CUTS) {
      this.slow = 0;
      this.cuts += 1;
    }
    return true;
  }

  /** Sets size and quality: shadows are given up first, then sharpness. Just before drawing, because it clears. */
  private fit(): void {
    const cuts = this.still ? 0 : this.cuts;
    this.sun.castShadow = cuts === 0;
    const full = Math.min(devicePixelRatio, 2);
    const ratio = cuts < MOST_CUTS ? full : Math.min(full, 1) * 0.75;
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (ratio === this.renderer.getPixelRatio() && size.x === width && size.y === height) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.setField();
  }

  private setField(): void {
    const wider = Math.max(this.aspect / this.camera.aspect, 1);
    this.camera.fov = (Math.atan(Math.tan((FIELD * Math.PI) / 360) * wider) * 360) / Math.PI;
    this.camera.updateProjectionMatrix();
  }
}

/** Whether there is no graphics card to draw with. */
function drawsInSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const name = context?.getParameter(
    context.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? 0x1f01,
  );
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(String(name));
}
