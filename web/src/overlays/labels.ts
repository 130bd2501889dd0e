// Short texts over points of the scene.

import * as THREE from "three";
import { element } from "../dom";
import type { Stage } from "../stage";

export class Labels {
  /** Stands for the texts in the scene: they are seen while it is. */
  readonly object = new THREE.Object3D();
  private readonly layer = element("div", { class: "labels", "aria-hidden": "true" });
  private texts: { at: THREE.Vector3; text: string }[] = [];

  constructor(private readonly stage: Stage) {
    stage.canvas.parentElement!.append(this.layer);
  }

  set(texts: { at: THREE.Vector3; text: string }[]): void {
    this.texts = texts;
    while (this.layer.childElementCount < texts.length) this.layer.append(element("span"));
    texts.forEach(({ text }, index) => (this.layer.children[index]!.textContent = text));
  }

  /** Follows the camera; called for each picture. */
  place(): void {
    this.layer.hidden = !this.object.visible;
    if (this.layer.hidden) return;
    const { left, top } = this.stage.canvas.getBoundingClientRect();
    [...this.layer.children].forEach((label, index) => {
      const text = this.texts[index];
      const seen = text === undefined ? null : this.stage.screen(text.at);
      const style = (label as HTMLElement).style;
      style.display = seen?.visible === true ? "" : "none";
      if (seen?.visible === true) style.transform = `translate(${seen.x - left}px, ${seen.y - top}px)`;
    });
  }
}
