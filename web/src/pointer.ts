// The mouse over the scene: click to inspect, drag a body to pull it, drag anything else to turn the camera.

import * as THREE from "three";
import type { Bodies, Hit } from "./bodies";
import { contactsOf } from "./overlays/contacts";
import { pairLines } from "./overlays/pairs";
import type { Overlays } from "./overlays/all";
import type { Vector } from "./protocol";
import type { Session } from "./session";
import type { Stage } from "./stage";

/** A press that moves less than this is a click. */
const CLICK_PIXELS = 4;
const CONTACT_PIXELS = 9;
const LINE_PIXELS = 6;
const SHOT_SPEED = 25;

interface Press {
  x: number;
  y: number;
  hit: Hit | null;
  /** Set once the body is being pulled: the plane, facing the camera, in which the mouse moves it. */
  plane: THREE.Plane | null;
}

export class Pointer {
  private press: Press | null = null;
  /** Where a ball would be shot to. */
  private at = { x: innerWidth / 2, y: innerHeight / 2 };

  constructor(
    private readonly session: Session,
    private readonly stage: Stage,
    private readonly bodies: Bodies,
    private readonly overlays: Overlays,
  ) {
    const { canvas } = stage;
    // Before the orbit controls, which must not turn while a body is pulled.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    addEventListener("pointerup", (event) => this.up(event));
    addEventListener("pointercancel", () => this.release());
  }

  /** Shoots a ball from the camera to where the mouse is. */
  shoot(): void {
    const { ray } = this.stage.ray(this.at.x, this.at.y);
    const speed = Math.max(SHOT_SPEED, this.stage.camera.position.distanceTo(this.stage.controls.target));
    const from = ray.origin.clone().addScaledVector(ray.direction, 1);
    this.session.send({
      do: "shoot",
      from: this.inWorld(from),
      velocity: ray.direction.clone().multiplyScalar(speed).toArray(),
    });
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const hit = this.bodies.hit(this.stage.ray(event.clientX, event.clientY));
    this.press = { x: event.clientX, y: event.clientY, hit, plane: null };
    this.stage.controls.enabled = !this.canPull(hit);
  }

  private move(event: PointerEvent): void {
    this.at = { x: event.clientX, y: event.clientY };
    const { press } = this;
    if (press === null) return;
    const moved = Math.hypot(event.clientX - press.x, event.clientY - press.y) > CLICK_PIXELS;
    if (press.plane === null && moved && press.hit !== null && this.canPull(press.hit)) {
      const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
      press.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, press.hit.point);
      this.session.send({ do: "grab", body: press.hit.body, point: this.inWorld(press.hit.point) });
    }
    if (press.plane === null) return;
    const to = this.stage.ray(event.clientX, event.clientY).ray.intersectPlane(press.plane, new THREE.Vector3());
    if (to !== null) this.session.send({ do: "drag", to: this.inWorld(to) });
  }

  private up(event: PointerEvent): void {
    const { press } = this;
    if (press === null || event.button !== 0) return;
    const moved = Math.hypot(event.clientX - press.x, event.clientY - press.y) > CLICK_PIXELS;
    if (press.plane === null && !moved) this.click(event, press.hit);
    this.release();
  }

  private release(): void {
    if (this.press?.plane) this.session.send({ do: "drop" });
    this.press = null;
    this.stage.controls.enabled = true;
  }

  private click(event: PointerEvent, hit: Hit | null): void {
    const contact = this.contactAt(event.clientX, event.clientY);
    const before = this.session.selection;
    const pair = contact === null ? this.pairAt(event.clientX, event.clientY) : null;
    if (contact !== null) this.session.select(contact);
    else if (pair !== null) this.session.send({ do: "microscope", slots: pair });
    else if (hit === null) this.session.select(null);
    else if ((event.shiftKey || event.ctrlKey) && before?.kind === "body" && before.slot !== hit.slot) {
      this.session.send({ do: "microscope", slots: [before.slot, hit.slot] });
    } else this.session.select({ kind: "body", body: hit.body, slot: hit.slot });
  }

  /** The contact drawn nearest to a point of the window, if contacts are drawn at all. */
  private contactAt(x: number, y: number): { kind: "contact"; slots: [number, number]; index: number } | null {
    const frame = this.session.newest;
    const drawn = ["contacts", "depth", "impulses", "features"].some((name) => this.overlays.isOn(name));
    if (frame === null || !drawn) return null;
    let nearest = CONTACT_PIXELS;
    let found = null;
    for (const { point, slots, index } of contactsOf(frame, this.bodies)) {
      const seen = this.stage.screen(point);
      const distance = Math.hypot(seen.x - x, seen.y - y);
      if (!seen.visible || distance >= nearest) continue;
      nearest = distance;
      found = { kind: "contact" as const, slots, index };
    }
    return found;
  }

  /** The pair whose line is drawn nearest to a point of the window, if pairs are drawn and can be looked at. */
  private pairAt(x: number, y: number): [number, number] | null {
    const frame = this.session.newest;
    const drawn = (["pairs", "colours"] as const).filter((name) => this.overlays.isOn(name));
    if (frame === null || this.session.source.recorded) return null;
    let nearest = LINE_PIXELS;
    let found = null;
    for (const { slots, from, to } of drawn.flatMap((name) => pairLines(frame, this.bodies, name))) {
      const [start, end] = [this.stage.screen(from), this.stage.screen(to)];
      if (!start.visible || !end.visible) continue;
      const [right, down] = [end.x - start.x, end.y - start.y];
      const along = ((x - start.x) * right + (y - start.y) * down) / (right * right + down * down || 1);
      const share = Math.min(Math.max(along, 0), 1);
      const distance = Math.hypot(start.x + share * right - x, start.y + share * down - y);
      if (distance >= nearest) continue;
      nearest = distance;
      found = slots;
    }
    return found;
  }

  private canPull(hit: Hit | null): boolean {
    const kind = hit === null ? null : this.bodies.descriptions[hit.body]?.kind;
    return kind === "dynamic" && this.session.hello?.can_control === true;
  }

  private inWorld(point: THREE.Vector3): Vector {
    return point.toArray().map((value, axis) => value + this.bodies.origin[axis]!) as Vector;
  }
}
