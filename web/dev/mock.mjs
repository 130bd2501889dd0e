// A stand-in for `carom view`: serves dist/index.html and streams a made-up scene, for work on the page alone.
// node dev/mock.mjs [port]
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const port = Number(process.argv[2] ?? 8123);
const page = new URL("../dist/index.html", import.meta.url);
const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(readFileSync(page)));

const shapes = [
  { cuboid: { half_extents: [20, 0.5, 20] } },
  { cuboid: { half_extents: [0.5, 0.5, 0.5] } },
  { sphere: { radius: 0.5 } },
  { capsule: { a: [0, -0.4, 0], b: [0, 0.4, 0], radius: 0.3 } },
  { cylinder: { half_height: 0.5, radius: 0.4 } },
  { cone: { half_height: 0.5, radius: 0.5 } },
  { cuboid: { half_extents: [0.4, 0.3, 0.3], radius: 0.15 } },
  { ellipsoid: { radii: [0.6, 0.3, 0.4] } },
];
const at = { position: [0, 0, 0], rotation: [0, 0, 0, 1], sensor: false };
const bodies = [{ id: 0, name: "floor", kind: "fixed", center: [0, 0, 0], colliders: [{ ...at, slot: 0, shape: 0 }] }];
for (let n = 1; n < 60; n++) {
  const collider = { ...at, slot: n, shape: 1 + (n % (shapes.length - 1)) };
  bodies.push({ id: n, name: null, kind: "dynamic", center: [0, 0, 0], colliders: [collider] });
}
const scene = {
  tell: "scene", generation: 0, name: "mock", shows: "Shapes that bob up and down, made up by the page's mock server.",
  capabilities: [], dt: 1 / 60, camera: null, kept: [0, 600], shapes, bodies,
};
const place = (n, frame) =>
  n === 0 ? [0, -0.5, 0] : [((n % 8) - 4) * 1.5, 0.6 + Math.abs(Math.sin(frame / 40 + n)) * 2, (Math.floor(n / 8) - 4) * 1.5];

function frame(number, sections) {
  const n = bodies.length;
  const parts = [];
  const words = (tag, rows) => {
    const bytes = Buffer.alloc(8 + 4 * rows.length);
    bytes.write(tag, 0, "ascii");
    bytes.writeUInt32LE(4 * rows.length, 4);
    rows.forEach((value, index) =>
      typeof value === "bigint" ? bytes.writeUInt32LE(Number(value), 8 + 4 * index) : bytes.writeFloatLE(value, 8 + 4 * index));
    parts.push(bytes);
  };
  const around = (k) => [...place(k, number).map((v) => v - 0.6), ...place(k, number).map((v) => v + 0.6)];
  const each = (make) => bodies.flatMap((_, k) => (k === 0 ? [] : make(k)));
  if (sections.includes("boxes")) words("BOXS", each((k) => [BigInt(k), ...around(k)]));
  if (sections.includes("swept")) words("SWEP", each((k) => [BigInt(k), ...around(k)]));
  if (sections.includes("structure")) words("STRU", each((k) => [0n, BigInt(k % 4), ...around(k), 0, 0, 0, 0]));
  if (sections.includes("pairs")) words("PAIR", each((k) => [BigInt(k), BigInt(k - 1), BigInt(k % 2)]));
  if (sections.includes("colours")) words("COLR", each((k) => [BigInt(k), BigInt(k - 1), BigInt(k % 5)]));
  if (sections.includes("contacts"))
    words("CONT", each((k) => [...place(k, number), 0, 1, 0, 0.002, k, BigInt(k), 0n, BigInt(2 ** 28 + k), BigInt(3 * 2 ** 28)]));
  if (sections.includes("islands")) words("ISLE", bodies.map((_, k) => BigInt(k % 5)));
  if (sections.includes("velocities")) words("VELO", bodies.flatMap((_, k) => [0, k % 3, 0, 1, 0, 0]));
  if (sections.includes("centers")) words("COMS", bodies.flatMap((_, k) => place(k, number)));
  if (sections.includes("impacts")) words("HITS", [...place(1 + (number % 50), number), 1, 1n, 2n]);
  if (sections.includes("convergence")) words("RESI", [1, 0.3, 0.1, 0.02, 0.005]);
  const head = Buffer.alloc(120 + 12 * n + 8 * n + ((n + 3) & ~3));
  head.writeUInt32LE(0x31465243, 0);
  head.writeUInt32LE(number, 8);
  head.writeUInt32LE(n, 12);
  head.writeDoubleLE(number / 60, 16);
  head.writeBigUInt64LE(BigInt(number) * 0x9e3779b97f4a7n, 24);
  for (let s = 0; s < 16; s++) head.writeFloatLE(1 + Math.sin(number / 20 + s) * 0.5, 56 + 4 * s);
  bodies.forEach((_, k) => {
    place(k, number).forEach((value, axis) => head.writeFloatLE(value, 120 + 12 * k + 4 * axis));
    const half = k === 0 ? 0 : (number / 100 + k) / 2;
    [Math.sin(half) * 0.6, Math.sin(half) * 0.8, 0, Math.cos(half)].forEach((value, axis) =>
      head.writeInt16LE(Math.round(value * 32767), 120 + 12 * n + 8 * k + 2 * axis));
    head[120 + 20 * n + k] = k % 3 === 0 ? 1 : 0;
  });
  return Buffer.concat([head, ...parts]);
}

/** Two boxes that overlap by a fifth of a metre, with a trace of the right form. */
function microscope(slots) {
  const cube = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1]);
  const center = [0, -0.8, 0.1];
  const corner = (k) => cube[k].map((value, axis) => value + center[axis]);
  const quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
  const point = (k) => ({ on_a: cube[k].map((v) => v / 2), on_b: corner(k).map((v, axis) => cube[k][axis] / 2 - v), difference: corner(k) });
  return {
    tell: "microscope", slots, frame: 0, names: ["cuboid 3", "cuboid 4"], pieces: [shapes[1], shapes[1]],
    poses: [{ position: [0, 0, 0], rotation: [0, 0, 0, 1] }, { position: [0, 0.8, -0.1], rotation: [0, 0, 0, 1] }],
    difference: { vertices: [0, 1, 2, 3, 4, 5, 6, 7].flatMap(corner), triangles: quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]) },
    distance: -0.2, answer: "They overlap by 0.2 m along (0, 1, 0).",
    gjk: [1, 2, 3, 4].map((n) => ({ simplex: [3, 6, 0, 5].slice(0, n).map(point), nearest: [0, 0.2 / n, 0], direction: [0, 1, 0], support: corner(2), lower: 0, upper: 0.5 / n })),
    epa: [0, 1].map((n) => ({ face: [corner(2), corner(3), corner(6 + n)], normal: [0, 1, 0], support: corner(3), lower: 0.1 + 0.1 * n, upper: 0.2, faces: 4 + 2 * n })),
    axes: [["face of A, y", -0.2], ["face of A, x", -1], ["face of B, z", -0.9], ["edge 2 × edge 5", -1.2]].map(([kind, gap], n) => ({ axis: n % 2 ? [1, 0, 0] : [0, 1, 0], gap, kind })),
    reasons: ["the simplex holds the origin", "the face is on the surface"],
    manifold: { normal: [0, 1, 0], points: [0, 1, 4, 5].map((k) => ({ position: [cube[k][0] / 2, 0.4, cube[k][2] / 2], depth: 0.2, features: ["face 2", `vertex ${k}`] })) },
    advancement: [0, 1, 2].map((n) => ({ time: n / 200, distance: 0.1 / (n + 1), point_a: [0, 0.5, 0], point_b: [0, 0.5 + 0.1 / (n + 1), 0], b: { position: [0, 1 + 0.1 / (n + 1), -0.1], rotation: [0, 0, 0, 1] } })),
    rust_test: "#[test]\nfn pasted() {}\n",
  };
}

server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  const write = (opcode, payload) => {
    const { length } = payload;
    const head = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
    head[0] = 0x80 | opcode;
    head[1] = length < 126 ? length : length < 65536 ? 126 : 127;
    if (head.length === 4) head.writeUInt16BE(length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    socket.write(Buffer.concat([head, payload]));
  };
  const tell = (message) => write(1, Buffer.from(JSON.stringify(message)));
  let [playing, number, on] = [true, 0, []];
  const show = () => {
    write(2, frame(number, on));
    tell({ tell: "state", playing, frame: number, kept: [0, 600], hash: "0" });
  };
  tell({ tell: "hello", version: "mock", scenes: [scene], structures: ["tree", "grid"], solvers: ["soft", "gs"], can_control: true });
  tell(scene);
  show();
  const timer = setInterval(() => playing && (number++, write(2, frame(number, on))), 1000 / 60);
  socket.on("error", () => {});
  socket.on("close", () => clearInterval(timer));
  socket.on("data", (bytes) => {
    while (bytes.length >= 6) {
      const long = (bytes[1] & 127) === 126;
      const [start, length] = long ? [8, bytes.readUInt16BE(2)] : [6, bytes[1] & 127];
      const mask = bytes.subarray(start - 4, start);
      const text = Buffer.from(bytes.subarray(start, start + length).map((byte, index) => byte ^ mask[index & 3])).toString();
      const opcode = bytes[0] & 15;
      bytes = bytes.subarray(start + length);
      if (opcode !== 1) continue;
      const command = JSON.parse(text);
      if (command.do === "overlays") on = command.on;
      else if (command.do === "play") playing = true;
      else if (command.do === "pause") playing = false;
      else if (command.do === "step") (playing = false), (number += command.count);
      else if (command.do === "back") (playing = false), (number = Math.max(0, number - command.count));
      else if (command.do === "seek") (playing = false), (number = command.frame);
      else if (command.do === "microscope") tell(microscope(command.slots));
      else tell({ tell: "error", message: `the mock does not do ${text}` });
      show();
    }
  });
});
server.listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/?token=0`));
