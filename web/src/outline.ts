// The edges of what is selected, drawn over everything.

import * as THREE from "three";
import type { Bodies } from "./bodies";
import type { Session } from "./session";

/** Corners flatter than this are not drawn. */
const EDGE_DEGREES = 25;

export class Outline {
  readonly group = new THREE.Group();
  private readonly material = new THREE.LineBasicMaterial({ depthTest: false, transparent: true });
  private readonly edges = new WeakMap<THREE.BufferGeometry, THREE.EdgesGeometry>();

  constructor(
    private readonly session: Session,
    private readonly bodies: Bodies,
  ) {
    this.group.renderOrder = 20;
  }

  /** Follows the selected bodies; called for each picture. */
  place(): void {
    const selection = this.session.selection;
    const chosen =
      selection === null
        ? []
        : selection.kind === "body"
          ? [selection.body]
          : selection.slots.map((slot) => this.bodies.bodyOf(slot)).filter((body) => body !== null);
    this.group.clear();
    this.material.color.set(getComputedStyle(document.documentElement).getPropertyValue("--accent").trim());
    for (const { geometry, matrix } of chosen.flatMap((body) => this.bodies.outline(body))) {
      let edges = this.edges.get(geometry);
      if (edges === undefined) {
        edges = new THREE.EdgesGeometry(geometry, EDGE_DEGREES);
        this.edges.set(geometry, edges);
      }
      const lines = new THREE.LineSegments(edges, this.material);
      lines.matrixAutoUpdate = false;
      lines.matrix.copy(matrix);
      lines.renderOrder = 20;
      this.group.add(lines);
    }
  }
}
