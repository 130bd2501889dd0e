// Puts the page together and gives each part what it needs.

import "uplot/dist/uPlot.min.css";
import "./style/page.css";
import "./style/panels.css";
import "./style/microscope.css";
import * as THREE from "three";
import { linkTo, lookFrom, placeIn } from "./address";
import { Bar } from "./bar";
import { Bodies } from "./bodies";
import { element } from "./dom";
import { Help } from "./help";
import { listenToKeys } from "./keys";
import { Microscope } from "./microscope/tab";
import { Motion } from "./motion";
import { Outline } from "./outline";
import { Overlays } from "./overlays/all";
import { Inspect } from "./panels/inspect";
import { Plots } from "./panels/plots";
import { Switches } from "./panels/switches";
import { Pointer } from "./pointer";
import { STATISTIC } from "./protocol";
import { embeddedRecording, RecordedSource } from "./recording";
import { Session } from "./session";
import { Sidebar } from "./sidebar";
import { LiveSource, liveAddress, pageAddress } from "./source";
import { Stage } from "./stage";
import { exposeToTests } from "./testing";
import { onTheme, toggleTheme } from "./theme";
import { Timeline } from "./timeline";
import { Toasts } from "./toast";

const ADDRESS_MS = 700;

async function start(): Promise<void> {
  const recording = embeddedRecording();
  const source = recording === null ? new LiveSource(liveAddress(location), pageAddress(location)) : await RecordedSource.decode(recording);
  const session = new Session(source);

  const canvas = element("canvas", { "aria-label": "The scene", tabindex: 0 });
  const figures = element("p", { class: "figures" });
  const center = element("main", { class: "stage" }, canvas, figures);
  document.body.append(center);
  const stage = new Stage(canvas);
  const bodies = new Bodies();
  const outline = new Outline(session, bodies);
  stage.scene.add(bodies.group, outline.group);
  const overlays = new Overlays(session, stage, bodies);
  const pointer = new Pointer(session, stage, bodies, overlays);
  const help = new Help(session.source.recorded);
  const toasts = new Toasts(center, session);

  const fitCamera = () => {
    const moving = bodies.balls((body) => bodies.descriptions[body]!.kind !== "fixed");
    // What falls is soon on the ground below it.
    const ground = bodies.groundBelow(moving);
    moving.push(...ground);
    const subject = {
      moving: [...bodies.corners((body) => bodies.descriptions[body]!.kind !== "fixed").flat(), ...ground.map(({ center }) => center)],
      fixed: bodies.corners((body) => bodies.descriptions[body]!.kind === "fixed"),
    };
    const toDrawing = (point: number[]) =>
      new THREE.Vector3().fromArray(point.map((value, axis) => value - bodies.origin[axis]!));
    const wanted = session.scene?.camera ?? null;
    stage.frame(
      moving.length > 0 ? moving : bodies.balls(() => true),
      subject,
      wanted && toDrawing(wanted.from),
      wanted && toDrawing(wanted.to),
    );
  };
  const copyLink = () => {
    navigator.clipboard.writeText(linkTo(session, stage, bodies)).then(
      () => toasts.show("Link copied", "note"),
      () => toasts.show("The browser did not let the page copy; take the link from the address bar", "error"),
    );
  };
  const bar = new Bar(session, { help: () => help.toggle(), copyLink, fitCamera, shoot: () => pointer.shoot() });
  const microscope = new Microscope(session, bodies, overlays);
  const plots = new Plots(session, overlays);
  const sidebar = new Sidebar([
    new Switches(session, overlays),
    plots,
    new Inspect(session, bodies, overlays),
    microscope,
  ]);
  document.body.prepend(bar.root);
  document.body.append(sidebar.root, new Timeline(session).root);
  listenToKeys(session, bar, {
    help: () => help.toggle(),
    fitCamera,
    copyLink,
    shoot: () => pointer.shoot(),
    theme: toggleTheme,
    tab: (index) => sidebar.show(index),
  });

  // What the address asks for is done once, when the program shows the scene that it asks for.
  const asked = placeIn(location.search);
  const isAsked = () => asked.scene === null || asked.scene === session.scene?.name;
  const forgetAsked = () => (asked.scene = asked.frame = asked.camera = null);
  let requested = false;
  stage.adaptive = new URLSearchParams(location.search).get("quality") !== "high";
  let fitted: string | null = null;
  session.on("scene", (scene) => {
    bodies.build(scene, fitted === scene.name);
    if (fitted !== scene.name) fitted = null;
    if (asked.scene !== null && !isAsked()) {
      if (!requested) session.send({ do: "scene", name: asked.scene });
      requested = true;
    } else if (asked.frame !== null) {
      session.send({ do: "seek", frame: asked.frame });
      asked.frame = null;
    }
  });
  // There may be no such scene.
  session.on("error", () => {
    if (!isAsked()) forgetAsked();
  });
  session.on("frame", (frame) => {
    if (fitted !== null) return;
    bodies.place(frame, null, 1);
    fitCamera();
    fitted = session.scene?.name ?? null;
    if (!isAsked()) return;
    if (asked.camera !== null) lookFrom(asked.camera, stage, bodies);
    asked.scene = asked.camera = null;
  });
  session.on("select", (selection) => {
    if (selection !== null) sidebar.showNamed("Inspect");
    stage.touch();
  });
  session.on("microscope", () => sidebar.showNamed("Microscope"));
  // A page in the background needs no frames.
  const stream = () => session.send({ do: "stream", on: !document.hidden });
  document.addEventListener("visibilitychange", stream);
  session.on("hello", () => document.hidden && stream());
  onTheme((now) => {
    bodies.tint(() => null, now);
    overlays.draw();
  });

  const motion = new Motion(session, bodies);
  stage.prepare = () => {
    const { moved, arrived } = motion.place();
    if (arrived) {
      overlays.draw();
      figures.textContent = figuresOf(session);
    }
    outline.place();
    overlays.placeLabels();
    return moved;
  };
  setInterval(() => {
    if (session.newest !== null && isAsked() && asked.frame === null) history.replaceState(null, "", linkTo(session, stage, bodies));
  }, ADDRESS_MS);

  exposeToTests(session, stage, bodies, overlays, { microscope, plots, fitCamera });
  source.start(session);
}

function figuresOf({ newest }: Session): string {
  if (newest === null) return "";
  const { statistics, bodies } = newest;
  const { broad, narrow, response, impact } = STATISTIC;
  const milliseconds = [broad, narrow, response, impact].reduce<number>((sum, stage) => sum + statistics[stage]!, 0);
  const contacts = statistics[STATISTIC.contacts]!.toLocaleString("en");
  const count = (text: string, thing: string) => `${text} ${thing}${text === "1" ? "" : "s"}`;
  return `${bodies === 1 ? "1 body" : `${bodies.toLocaleString("en")} bodies`} · ${count(contacts, "contact")} · step ${milliseconds.toFixed(2)} ms`;
}

/** Says in the page why there is nothing to see. */
function fail(error: unknown): void {
  console.error(error);
  const text = String(error instanceof Error ? error.message : error).replace(/\.$/, "");
  const hint = /webgl/i.test(text) ? " This page draws with WebGL 2; the browser has it switched off or lacks it." : "";
  document.body.append(element("p", { class: "failure", role: "alert" }, `The page could not start: ${text}.${hint}`));
}

addEventListener("DOMContentLoaded", () => start().catch(fail));
