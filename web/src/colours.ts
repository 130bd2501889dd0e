// All colours that mean something. The strong ones are those of Okabe and Ito (2008), which people with any kind of
// colour vision can tell apart.

import * as THREE from "three";
import type { Theme } from "./theme";

export const ORANGE = "#e69f00";
export const SKY = "#56b4e9";
export const GREEN = "#009e73";
export const YELLOW = "#f0e442";
export const BLUE = "#0072b2";
export const VERMILION = "#d55e00";
export const PURPLE = "#cc79a7";
export const GREY = "#8a8f98";

/** For things that are numbered: islands, graph colours, levels of a tree. */
export const NUMBERED = [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW].map((colour) => new THREE.Color(colour));

export function numbered(index: number): THREE.Color {
  return NUMBERED[index % NUMBERED.length]!;
}

/** How bodies look when no overlay colours them: calm, so that overlays stand out. */
const MOVING = ["#7fa3c7", "#a9bfd6", "#d8c3a0", "#c2a98a", "#93b5a6", "#b9cdbf"].map((c) => new THREE.Color(c));
const KINEMATIC = new THREE.Color("#a892c4");
const FIXED: Record<Theme, THREE.Color> = { light: new THREE.Color("#d4d8de"), dark: new THREE.Color("#4a505a") };
/** What only watches is seen through, so it needs a strong colour to be seen at all. */
export const SENSOR = new THREE.Color(SKY);
export const ASLEEP_TINT = new THREE.Color("#4b5a75");
export const AWAKE_TINT = new THREE.Color(ORANGE);

export function bodyColour(index: number, kind: string, theme: Theme): THREE.Color {
  if (kind === "fixed") return FIXED[theme];
  if (kind === "kinematic") return KINEMATIC;
  // Neighbours in a stack differ, and so do rows.
  return MOVING[(index * 7 + (index >> 3)) % MOVING.length]!;
}

export const BACKGROUND: Record<Theme, string> = { light: "#eef1f5", dark: "#14171c" };
