// What each step of each algorithm draws, and says in words.

import * as THREE from "three";
import { BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION } from "../colours";
import { short, vectorText } from "../dom";
import type { MicroscopeTell, Quaternion, SeparatingAxis, UsedPatch, Vector } from "../protocol";
import type { PairView } from "./view";

const [onA, onB, simplex, way, support, bound] = [BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY].map(
  (colour) => new THREE.Color(colour),
) as [THREE.Color, THREE.Color, THREE.Color, THREE.Color, THREE.Color, THREE.Color];
const ORIGIN = new THREE.Vector3();

/** A stage of the pair's way from shapes to contact. */
export interface Stage {
  name: string;
  title: string;
  steps: number;
  /** When each step is, where they are steps in time. */
  times?: number[];
  /** Draws a step and gives its facts; of steps in time also what is so far on the way to the next. */
  show(step: number, view: PairView, between: number): [string, string][];
  /** Colours used, for the legend. */
  legend: [string, string][];
}

export function stagesOf(pair: MicroscopeTell): Stage[] {
  return [gjk(pair), epa(pair), axes(pair), contact(pair), used(pair), time(pair)].filter(({ steps }) => steps > 0);
}

/** Axes with the one that tells most first: the widest gap, or the least overlap. */
export function sortedAxes(pair: MicroscopeTell): SeparatingAxis[] {
  return [...pair.axes].sort((a, b) => b.gap - a.gap);
}

function gjk(pair: MicroscopeTell): Stage {
  // A search that is begun again begins with one point; the last state asks for nothing more.
  const starts = pair.gjk.flatMap(({ simplex, support }, index) =>
    index === 0 || (simplex.length === 1 && support !== null) ? [index] : [],
  );
  return {
    name: "GJK",
    title: "Gilbert, Johnson and Keerthi: walk a simplex in A − B towards the origin",
    steps: pair.gjk.length,
    legend: [
      [GREEN, "simplex"],
      [PURPLE, "direction searched"],
      [VERMILION, "support point found"],
      [SKY, "nearest point to the origin"],
    ],
    show(index, view) {
      const step = pair.gjk[index]!;
      const { shapes, difference } = view;
      for (const { on_a, on_b } of step.simplex) {
        shapes.dots.add(point(on_a), onA);
        shapes.dots.add(point(on_b), onB);
        shapes.lines.add(point(on_a), point(on_b), simplex);
      }
      const corners = step.simplex.map((corner) => corner.difference);
      each2(corners, (a, b) => difference.lines.add(point(a), point(b), simplex));
      each3(corners, (a, b, c) => difference.triangle([a, b, c], simplex));
      for (const corner of corners) difference.dots.add(point(corner), simplex);
      difference.dots.add(point(step.nearest), bound);
      difference.lines.add(ORIGIN, point(step.nearest), bound);
      if (step.direction !== null) arrow(difference, point(step.nearest), step.direction, way);
      if (step.support !== null) difference.dots.add(point(step.support), support);
      const isLast = index === pair.gjk.length - 1;
      const asked: [string, string][] =
        step.direction === null || step.support === null
          ? [["asked", "nothing more: this is where the search ended"]]
          : [
              ["direction", vectorText(step.direction)],
              ["support", vectorText(step.support)],
            ];
      const search = starts.filter((start) => start <= index).length;
      const quick = search < starts.length ? "quick" : "from the start again, with every digit";
      return [
        ...(starts.length > 1 ? [["search", `${search} of ${starts.length}, ${quick}`] as [string, string]] : []),
        ["simplex", `${step.simplex.length} ${step.simplex.length === 1 ? "point" : "points"}`],
        ...asked,
        ["nearest", vectorText(step.nearest)],
        ["bounds", boundsText(step.lower, step.upper)],
        ...why(pair, isLast, 0),
      ];
    },
  };
}

function epa(pair: MicroscopeTell): Stage {
  return {
    name: "EPA",
    title: "Expanding polytope: push the face nearest to the origin out to the surface of A − B",
    steps: pair.epa.length,
    legend: [
      [GREEN, "nearest face"],
      [PURPLE, "its normal"],
      [VERMILION, "support point found"],
    ],
    show(index, view) {
      const step = pair.epa[index]!;
      const { difference } = view;
      difference.triangle(step.face, simplex);
      each2(step.face, (a, b) => difference.lines.add(point(a), point(b), simplex));
      for (const corner of step.face) difference.dots.add(point(corner), simplex);
      const middle = step.face.reduce((sum, corner) => sum.add(point(corner)), new THREE.Vector3()).divideScalar(3);
      arrow(difference, middle, step.normal, way);
      if (step.support !== null) difference.dots.add(point(step.support), support);
      return [
        ["faces", String(step.faces)],
        ["normal", vectorText(step.normal)],
        ["support", step.support === null ? "none" : vectorText(step.support)],
        ["depth", boundsText(step.lower, step.upper)],
        ...why(pair, index === pair.epa.length - 1, 1),
      ];
    },
  };
}

/**
 * Which of the sorted axes the contact's normal is along. Where there is no contact, the first if it leaves a gap: else
 * none of them separates what is apart, and the search for the distance has told.
 */
export function chosenAxis(pair: MicroscopeTell): number {
  const sorted = sortedAxes(pair);
  const { normal, clip } = pair.manifold ?? {};
  if (normal === undefined) return (sorted[0]?.gap ?? 0) > 0 ? 0 : -1;
  const along = sorted.map(({ axis }) => Math.abs(point(axis).normalize().dot(point(normal))));
  // Of parallel axes that of the face that the other was clipped to, or of any face.
  const parallel = [...along.keys()].filter((index) => along[index]! >= Math.max(...along) - 1e-5);
  const isOf = (ending: string) => (index: number) =>
    sorted[index]!.kind.startsWith("face") && sorted[index]!.kind.endsWith(ending);
  return parallel.find(isOf(`of ${clip?.reference_of ?? ""}`)) ?? parallel.find(isOf("")) ?? parallel[0] ?? -1;
}

function axes(pair: MicroscopeTell): Stage {
  const sorted = sortedAxes(pair);
  const chosen = chosenAxis(pair);
  return {
    name: "SAT",
    title: "Separating axes: a gap along any one of them says that the shapes are apart",
    steps: sorted.length,
    legend: [[PURPLE, "axis"]],
    show(index, view) {
      const { axis, gap, kind } = sorted[index]!;
      const across = (half: PairView["shapes"], middle: THREE.Vector3) => {
        const along = point(axis).multiplyScalar(1.2 * half.size);
        half.lines.add(middle.clone().sub(along), middle.clone().add(along), way);
      };
      across(view.shapes, view.shapes.center);
      across(view.difference, ORIGIN);
      return [
        ["axis", vectorText(axis)],
        ["from", kind],
        [gap > 0 ? "gap" : "overlap", `${short(Math.abs(gap))} m`],
        ["rank", `${index + 1} of ${sorted.length}${index === chosen ? ", chosen" : ""}`],
      ];
    },
  };
}

/** Clipping and reduction first, where there was any; then the points that were kept, one by one. */
function contact(pair: MicroscopeTell): Stage {
  const { manifold } = pair;
  const clip = manifold?.clip ?? null;
  const before = clip === null ? 0 : CLIP_STEPS.length;
  const points = manifold?.points ?? [];
  return {
    name: "Contact",
    title: "The face clipped by the other, reduced to the points that carry the load",
    steps: manifold === null ? 0 : Math.max(before + points.length, 1),
    legend: [
      [BLUE, "face of A"],
      [ORANGE, "face of B"],
      [SKY, "clipped polygon"],
      [GREEN, "deep enough"],
      [VERMILION, "kept"],
      [PURPLE, "normal"],
    ],
    show(index, view) {
      if (manifold === null) return [];
      const { shapes } = view;
      const facts: [string, string][] = [];
      const step = index < before ? CLIP_STEPS[index]! : null;
      if (clip !== null) {
        const [ofReference, ofIncident] = clip.reference_of === "A" ? [onA, onB] : [onB, onA];
        polygon(shapes, clip.reference, ofReference);
        if (step !== null) polygon(shapes, clip.incident, ofIncident);
        if (step !== "faces") polygon(shapes, clip.clipped, bound, true);
        if (step === "faces") {
          const sides = clip.reference.length === 0 ? "a half-space, without sides" : corners(clip.reference);
          facts.push(["reference", `of ${clip.reference_of}: ${sides}`]);
          facts.push(["incident", `of ${clip.reference_of === "A" ? "B" : "A"}: ${corners(clip.incident)}`]);
        } else if (step === "clipped") {
          for (const corner of clip.clipped) shapes.dots.add(point(corner), bound);
          facts.push(["clipped", `${corners(clip.incident)} became ${clip.clipped.length}`]);
        } else if (step === "reduced") {
          for (const { position } of clip.candidates) shapes.dots.add(point(position), simplex);
          facts.push(["deep enough", `${clip.candidates.length} of ${clip.clipped.length}`]);
          facts.push(["kept", `${points.length} that span the most, the deepest among them`]);
        }
      }
      const chosen = index - before;
      if (step === null || step === "reduced") {
        points.forEach(({ position }, at) => {
          shapes.dots.add(point(position), at === chosen || step !== null ? support : onB);
          if (at === chosen) arrow(shapes, point(position), manifold.normal, way);
        });
      }
      facts.push(["normal", vectorText(manifold.normal)]);
      const kept = points[chosen];
      if (kept !== undefined) {
        facts.push(
          ["point", `${vectorText(kept.position)} m`],
          ["in the world", `${vectorText(inWorld(pair, kept.position))} m`],
          [kept.depth >= 0 ? "depth" : "gap", `${short(Math.abs(kept.depth) * 1000)} mm`],
          ["features", kept.features.join(" on ")],
        );
      }
      return facts;
    },
  };
}

/** What the steps before the points show: the two faces, what clipping leaves, what of it is deep enough and kept. */
const CLIP_STEPS = ["faces", "clipped", "reduced"] as const;

function corners(points: Vector[]): string {
  return `${points.length} ${points.length === 1 ? "corner" : "corners"}`;
}

function polygon(half: PairView["shapes"], points: Vector[], colour: THREE.Color, filled = false): void {
  points.forEach((corner, at) => {
    const next = points[(at + 1) % points.length]!;
    half.lines.add(point(corner), point(next), colour);
    if (filled && at > 0 && at + 1 < points.length) half.triangle([points[0]!, corner, next], colour);
  });
}

/** What the last step used, beside the same found anew where the bodies were when it began. */
function used(pair: MicroscopeTell): Stage {
  const { used } = pair;
  const pointsOf = (patches: UsedPatch[]) => patches.flatMap((patch) => patch.points.map((point) => ({ ...point, patch })));
  const [mine, anew] = [pointsOf(used?.world ?? []), pointsOf(used?.anew ?? [])];
  return {
    name: "Used",
    title: "What the world used in its last step, beside the same contact found anew where the bodies were when it began",
    steps: used === null ? 0 : 1,
    legend: [
      [VERMILION, "point that the world used"],
      [GREEN, "point found anew"],
      [PURPLE, "normal that the world used"],
    ],
    show(_, view) {
      if (used === null) return [];
      view.moveSecond(used.b.position, used.b.rotation);
      for (const { position } of anew) {
        // A cross, so that the point used, which is mostly in the same place, is seen as well.
        for (let axis = 0; axis < 3; axis++) {
          const out = new THREE.Vector3().setComponent(axis, 0.09 * view.shapes.size);
          view.shapes.lines.add(point(position).sub(out), point(position).add(out), simplex);
        }
      }
      for (const { position, patch } of mine) {
        view.shapes.dots.add(point(position), support);
        arrow(view.shapes, point(position), patch.normal, way);
      }
      const held = used.world.some((patch) => patch.held);
      const millimetres = (depth: number) => `${short(depth * 1000)} mm`;
      const row = ({ features, depth, position, impulse, patch }: (typeof mine)[number]): [string, string] => {
        const same = anew.filter((other) => other.features.join() === features.join() && other.patch.parts.join() === patch.parts.join());
        const distances = same.map((other) => point(other.position).distanceTo(point(position)));
        const found = same[distances.indexOf(Math.min(...distances))];
        const beside = found === undefined ? "not found anew" : `anew ${millimetres(found.depth)}`;
        return [features.join(" on "), `depth ${millimetres(depth)}, ${beside}; pushed ${short(impulse)} N s`];
      };
      const only = anew.filter((other) => !mine.some((own) => own.features.join() === other.features.join()));
      return [
        [used.differs ? "differs" : "agrees", used.says],
        ["kept", mine.length === 0 ? "the world had no contact" : held ? "points act where they did in the step before" : "points were placed anew in this step"],
        ...mine.map(row),
        ...only.map(({ features, depth }): [string, string] => [features.join(" on "), `found anew only, depth ${millimetres(depth)}`]),
      ];
    },
  };
}

function time(pair: MicroscopeTell): Stage {
  const steps = pair.advancement?.steps ?? [];
  return {
    name: "Time",
    title:
      "Conservative advancement, the engine's own: go on for as long as the gap along the best direction is proven to stay " +
      "open, until it is nothing",
    steps: steps.length,
    ...(steps.length > 1 ? { times: steps.map(({ time }) => time) } : {}),
    legend: [
      [BLUE, "nearest point of A"],
      [ORANGE, "nearest point of B"],
    ],
    show(index, view, between) {
      const step = steps[index]!;
      const next = steps[index + 1];
      if (between > 0 && step.b !== undefined && next?.b !== undefined) {
        const position = point(step.b.position).lerp(point(next.b.position), between);
        const rotation = new THREE.Quaternion(...step.b.rotation);
        rotation.slerp(new THREE.Quaternion(...next.b.rotation), between);
        view.moveSecond(position.toArray(), rotation.toArray() as Quaternion);
        const time = step.time + between * (next.time - step.time);
        return [
          ["time", `${short(time)} s`],
          ["proven", `nothing touches from ${short(step.time)} s until ${short(next.time)} s`],
        ];
      }
      if (step.b !== undefined) view.moveSecond(step.b.position, step.b.rotation);
      view.shapes.dots.add(point(step.point_a), onA);
      view.shapes.dots.add(point(step.point_b), onB);
      view.shapes.lines.add(point(step.point_a), point(step.point_b), support);
      return [
        ["time", `${short(step.time)} s`],
        ["distance", `${short(step.distance)} m`],
        ...(next === undefined ? [["ended", pair.advancement?.ending ?? ""] as [string, string]] : []),
      ];
    },
  };
}

function why(pair: MicroscopeTell, isLast: boolean, stage: number): [string, string][] {
  const reason = pair.reasons[Math.min(stage, pair.reasons.length - 1)];
  return isLast && reason !== undefined ? [["stopped", reason]] : [];
}

function boundsText(lower: number | null, upper: number | null): string {
  const text = (value: number | null) => (value === null ? "unknown" : `${short(value)} m`);
  return `${text(lower)} to ${text(upper)}`;
}

function arrow(half: PairView["shapes"], from: THREE.Vector3, along: Vector, colour: THREE.Color): void {
  const direction = point(along);
  if (direction.lengthSq() === 0) return;
  half.lines.add(from, from.clone().addScaledVector(direction.normalize(), 0.5 * half.size), colour);
}

/** A point of the first shape's frame, in the world. */
function inWorld({ place }: MicroscopeTell, position: Vector): number[] {
  const turned = point(position).applyQuaternion(new THREE.Quaternion(...place.rotation));
  return turned.toArray().map((value, axis) => value + place.position[axis]!);
}

function point(vector: Vector): THREE.Vector3 {
  return new THREE.Vector3(...vector);
}

function each2(corners: Vector[], draw: (a: Vector, b: Vector) => void): void {
  corners.forEach((a, index) => corners.slice(index + 1).forEach((b) => draw(a, b)));
}

function each3(corners: Vector[], draw: (a: Vector, b: Vector, c: Vector) => void): void {
  corners.forEach((a, index) => each2(corners.slice(index + 1), (b, c) => draw(a, b, c)));
}
