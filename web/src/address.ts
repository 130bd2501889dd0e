// The link that opens the same scene, frame and camera again.

import * as THREE from "three";
import type { Bodies } from "./bodies";
import type { Session } from "./session";
import type { Stage } from "./stage";

export interface Place {
  scene: string | null;
  frame: number | null;
  camera: number[] | null;
}

/** What the address of the page asks for. */
export function placeIn(search: string): Place {
  const asked = new URLSearchParams(search);
  const camera = asked.get("camera")?.split(",").map(Number) ?? [];
  const frame = Number.parseInt(asked.get("frame") ?? "", 10);
  return {
    scene: asked.get("scene"),
    frame: frame >= 0 ? frame : null,
    camera: camera.length === 6 && camera.every(Number.isFinite) ? camera : null,
  };
}

/** The address of what is seen now. */
export function linkTo(session: Session, stage: Stage, bodies: Bodies): string {
  const address = new URL(location.href);
  const seen = [stage.camera.position, stage.controls.target].flatMap((point) =>
    point.toArray().map((value, axis) => String(Number((value + bodies.origin[axis]!).toFixed(3)))),
  );
  if (session.scene !== null) address.searchParams.set("scene", session.scene.name);
  if (session.newest !== null) address.searchParams.set("frame", String(session.newest.frame));
  address.searchParams.set("camera", seen.join(","));
  return address.href.replaceAll("%2C", ",");
}

export function lookFrom(camera: number[], stage: Stage, bodies: Bodies): void {
  const local = camera.map((value, index) => value - bodies.origin[index % 3]!);
  stage.look(new THREE.Vector3().fromArray(local), new THREE.Vector3().fromArray(local, 3));
}
