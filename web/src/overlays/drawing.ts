// Things to draw with: lines, boxes and dots whose number changes from frame to frame. Buffers grow and are kept.

import * as THREE from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

/** Straight pieces of a circle. */
const CIRCLE = 32;

export interface Look {
  /** Pixels. */
  width?: number;
  opacity?: number;
  /** Seen through bodies. */
  onTop?: boolean;
}

/** Lines of some pixels' width. */
export class Lines {
  readonly object: LineSegments2;
  private capacity = 0;
  private count = 0;
  private ends: Float32Array = new Float32Array(0);
  private colours: Float32Array = new Float32Array(0);

  constructor({ width = 2, opacity = 1, onTop = true }: Look = {}) {
    const material = new LineMaterial({
      linewidth: width,
      vertexColors: true,
      transparent: opacity < 1 || onTop,
      opacity,
      depthTest: !onTop,
      // Lines on a surface are before it.
      polygonOffset: !onTop,
      polygonOffsetFactor: -2,
      polygonOffsetUnits: -2,
    });
    this.object = new LineSegments2(new LineSegmentsGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = onTop ? 10 : 1;
    this.object.visible = false;
  }

  begin(): void {
    this.count = 0;
  }

  add(from: THREE.Vector3, to: THREE.Vector3, colour: THREE.Color, farColour: THREE.Color = colour): void {
    if (this.count === this.capacity) this.grow();
    const at = 6 * this.count++;
    from.toArray(this.ends, at);
    to.toArray(this.ends, at + 3);
    colour.toArray(this.colours, at);
    farColour.toArray(this.colours, at + 3);
  }

  end(): void {
    this.object.visible = this.count > 0;
    const { geometry } = this.object;
    geometry.instanceCount = this.count;
    for (const name of ["instanceStart", "instanceColorStart"]) {
      const attribute = geometry.getAttribute(name) as THREE.InterleavedBufferAttribute | undefined;
      if (attribute !== undefined) attribute.data.needsUpdate = true;
    }
  }

  private grow(): void {
    this.capacity = Math.max(64, 2 * this.capacity);
    const ends = new Float32Array(6 * this.capacity);
    const colours = new Float32Array(6 * this.capacity);
    ends.set(this.ends);
    colours.set(this.colours);
    this.object.geometry.dispose();
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(ends);
    geometry.setColors(colours);
    this.object.geometry = geometry;
    // The geometry may have copied them.
    const data = (name: string) => (geometry.getAttribute(name) as THREE.InterleavedBufferAttribute).data.array;
    this.ends = data("instanceStart") as Float32Array;
    this.colours = data("instanceColorStart") as Float32Array;
  }
}

/** Thin lines of one form in many places: edges of boxes, or circles of spheres. */
export class Wires {
  readonly object: THREE.LineSegments;
  private capacity = 0;
  private count = 0;
  private matrices = new THREE.InstancedBufferAttribute(new Float32Array(0), 16);
  private colours = new THREE.InstancedBufferAttribute(new Float32Array(0), 3);
  private readonly geometry = new THREE.InstancedBufferGeometry();

  private constructor(form: THREE.BufferGeometry, opacity: number) {
    this.geometry.setAttribute("position", form.getAttribute("position"));
    const material = new THREE.ShaderMaterial({
      transparent: opacity < 1,
      uniforms: { opacity: { value: opacity } },
      vertexShader: `
        attribute mat4 placing;
        attribute vec3 tone;
        varying vec3 vTone;
        void main() {
          vTone = tone;
          gl_Position = projectionMatrix * modelViewMatrix * placing * vec4(position, 1.0);
        }`,
      fragmentShader: `
        uniform float opacity;
        varying vec3 vTone;
        void main() {
          gl_FragColor = vec4(vTone, opacity);
          #include <colorspace_fragment>
        }`,
    });
    this.object = new THREE.LineSegments(this.geometry, material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  /** Edges of the cube from -1 to 1. */
  static boxes(opacity = 1): Wires {
    return new Wires(new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2)), opacity);
  }

  /** Three circles of radius 1, across each other. */
  static spheres(): Wires {
    const circles = new THREE.BufferGeometry();
    const places: number[] = [];
    for (let axis = 0; axis < 3; axis++) {
      for (let end = 0; end < 2 * CIRCLE; end++) {
        const angle = (2 * Math.PI * ((end + 1) >> 1)) / CIRCLE;
        const at = [Math.cos(angle), Math.sin(angle), 0];
        places.push(at[axis]!, at[(axis + 1) % 3]!, at[(axis + 2) % 3]!);
      }
    }
    circles.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
    return new Wires(circles, 1);
  }

  begin(): void {
    this.count = 0;
  }

  /** A box along the axes. `bounds` holds min and max from `at` on, to be moved by `shift`. */
  addBounds(bounds: Float32Array, at: number, shift: THREE.Vector3, colour: THREE.Color): void {
    const index = this.next();
    const { array } = this.matrices;
    array.fill(0, 16 * index, 16 * index + 16);
    for (let axis = 0; axis < 3; axis++) {
      const low = bounds[at + axis]!;
      const high = bounds[at + 3 + axis]!;
      array[16 * index + 5 * axis] = (high - low) / 2;
      array[16 * index + 12 + axis] = (high + low) / 2 + shift.getComponent(axis);
    }
    array[16 * index + 15] = 1;
    colour.toArray(this.colours.array, 3 * index);
  }

  add(matrix: THREE.Matrix4, colour: THREE.Color): void {
    const index = this.next();
    matrix.toArray(this.matrices.array, 16 * index);
    colour.toArray(this.colours.array, 3 * index);
  }

  end(): void {
    this.object.visible = this.count > 0;
    this.geometry.instanceCount = this.count;
    this.matrices.needsUpdate = true;
    this.colours.needsUpdate = true;
  }

  private next(): number {
    if (this.count === this.capacity) this.grow();
    return this.count++;
  }

  private grow(): void {
    this.capacity = Math.max(64, 2 * this.capacity);
    const matrices = new THREE.InstancedBufferAttribute(new Float32Array(16 * this.capacity), 16);
    const colours = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.capacity), 3);
    matrices.array.set(this.matrices.array);
    colours.array.set(this.colours.array);
    this.matrices = matrices;
    this.colours = colours;
    this.geometry.dispose();
    this.geometry.setAttribute("placing", matrices);
    this.geometry.setAttribute("tone", colours);
  }
}

/** Round dots of a fixed size on the screen, seen through bodies. */
export class Dots {
  readonly object: THREE.Points;
  private places: number[] = [];
  private colours: number[] = [];

  constructor(pixels: number) {
    const material = new THREE.PointsMaterial({
      size: pixels * Math.min(devicePixelRatio, 2),
      sizeAttenuation: false,
      vertexColors: true,
      depthTest: false,
      transparent: true,
      map: disc(),
      alphaTest: 0.3,
    });
    this.object = new THREE.Points(new THREE.BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 12;
    this.object.visible = false;
  }

  begin(): void {
    this.places.length = this.colours.length = 0;
  }

  add(at: THREE.Vector3, colour: THREE.Color): void {
    this.places.push(at.x, at.y, at.z);
    this.colours.push(colour.r, colour.g, colour.b);
  }

  end(): void {
    this.object.visible = this.places.length > 0;
    this.object.geometry.dispose();
    this.object.geometry = new THREE.BufferGeometry();
    this.object.geometry.setAttribute("position", new THREE.Float32BufferAttribute(this.places, 3));
    this.object.geometry.setAttribute("color", new THREE.Float32BufferAttribute(this.colours, 3));
  }
}

function disc(): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const context = canvas.getContext("2d")!;
  context.fillStyle = "#ffffff";
  context.beginPath();
  context.arc(16, 16, 15, 0, 2 * Math.PI);
  context.fill();
  return new THREE.CanvasTexture(canvas);
}
