// The theory on the faces that are enrolled: everything is drawn from the mean face, the basis faces and the weights.

import { get, numbers, send } from "./api.js";
import { element, make, trying } from "./ui.js";
import { tried } from "./tried.js";

const SHOWN = 12; // basis faces to look at, weights to change

let space = null; // width, height, components, eigenvalues, shares
let mean = null;
let basis = null; // d numbers a basis face
let faces = []; // person, hash, weights
let morphed = []; // the first weights, as the sliders have them
let probe = null; // weights of the photo that was tried
let shown = []; // faces where they are drawn, and whose they are
let levels = null; // the chosen face as enrolled, gray levels

export async function show() {
  const model = await get("/model");
  element("nobody").hidden = model.faces > 0;
  element("theory").hidden = model.faces === 0;
  if (model.faces === 0) return;
  space = await get("/space");
  const all = await numbers("/basis.f32");
  const d = space.width * space.height;
  mean = all.subarray(0, d);
  basis = Array.from({ length: space.components }, (_, at) => all.subarray((at + 1) * d, (at + 2) * d));
  ({ faces } = await get("/weights"));
  probe = tried.photo ? (await send("/project", tried.photo)).faces : null;
  tiles();
  theory();
  spectrum();
  chooser();
  choose();
  scatter();
}

function tiles() {
  const stamp = Date.now();
  const tile = (src, alt, text) => make("li", {}, make("img", { src, alt, width: 80 }), make("div", { textContent: text }));
  const shown = Math.min(SHOWN, space.components);
  element("basis").replaceChildren(
    tile(`api/v0/mean.png?${stamp}`, "The mean face", "mean"),
    ...Array.from({ length: shown }, (_, at) => tile(
      `api/v0/basis/${at + 1}/picture.png?${stamp}`,
      `Basis face ${at + 1}`,
      `${at + 1}: ${share(space.shares[at])}`)));
}

// Numbers that round to nothing have no sign.
const whole = (value) => (Math.round(value) || 0).toLocaleString("en").replace("-", "−");
const share = (part) => `${(part * 100).toFixed(1).replace(/^-0\.0$/, "0.0").replace("-", "−")} %`;

// K by share, and the sizes of both matrices, with their numbers.
function theory() {
  let sum = 0;
  const total = space.shares.map((share) => (sum += share));
  const first = (share) => total.findIndex((held) => held >= share - 1e-9) + 1;
  const told = [.5, .8, .9, .95].filter((share) => first(share) > 0).map((share) => `${share * 100} %: K = ${first(share)}`);
  element("share-says").textContent =
    `K is the smallest number for which (λ₁ + … + λ_K) / (sum of all λ) reaches the share wanted: ${told.join(", ")}. λ₁ is ${whole(space.eigenvalues[0])} of ${whole(space.total_variance)}.`;
  const [d, n] = [space.width * space.height, faces.length];
  element("matrix-says").textContent =
    `The covariance matrix of ${whole(d)} pixels would have ${whole(d * d)} numbers; the Gram matrix of ${whole(n)} faces has ${whole(n * n)}, and its eigenvectors v give the same basis faces: A v, faces added up.`;
}

// The people nearest to the chosen face, with the distances in the plane of two weights written out.
function nearest() {
  const own = chosen();
  const people = new Map();
  for (const face of faces.filter((face) => face.hash !== own.hash)) {
    people.set(face.person, [...(people.get(face.person) ?? []), face.weights]);
  }
  const distance = (middle) => Math.hypot(...middle.map((value, at) => value - own.weights[at]));
  const rows = [...people].map(([person, all]) => {
    const middle = own.weights.map((_, at) => all.reduce((sum, weights) => sum + weights[at], 0) / all.length);
    return { person, middle, far: distance(middle) };
  });
  rows.sort((a, b) => a.far - b.far);
  element("nearest-says").replaceChildren(...rows.slice(0, 4).map(({ person, middle, far }) => {
    const [x, y] = own.weights;
    const plane = middle.length > 1
      ? `√((${whole(x)} − (${whole(middle[0])}))² + (${whole(y)} − (${whole(middle[1])}))²) = ${whole(distance(middle.slice(0, 2)))} in the plane, ` : "";
    return make("li", { textContent: `${person}: ${plane}${whole(far)} by all ${own.weights.length} weights` });
  }));
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

// A canvas of so many CSS pixels, sharp on every screen; its colours are those of the page.
function sheet(canvas, height) {
  const width = canvas.clientWidth || 600;
  const ratio = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const paint = canvas.getContext("2d");
  paint.scale(ratio, ratio);
  const probe = make("span");
  document.body.append(probe);
  const resolved = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
  const colors = { ink: resolved("--ink"), soft: resolved("--soft"), accent: resolved("--accent") };
  probe.remove();
  paint.font = "13px system-ui, sans-serif";
  return { paint, width, height, colors };
}

function spectrum() {
  const { paint, width, height, colors } = sheet(element("spectrum"), 220);
  const [left, bottom, top] = [48, height - 30, 14];
  const k = space.components;
  const wide = Math.max(1, (width - left) / k / 2);
  const x = (at) => left + wide / 2 + (width - left - 14 - wide) * (k === 1 ? .5 : at / (k - 1));
  const y = (share) => bottom - share * (bottom - top);
  let sum = 0;
  const total = space.shares.map((share) => (sum += share));
  const chosen = Number(element("k").value);
  paint.strokeStyle = colors.soft;
  paint.fillStyle = colors.soft;
  for (const share of [0, .5, 1]) {
    paint.globalAlpha = .35;
    paint.beginPath(); paint.moveTo(left, y(share)); paint.lineTo(width - 14, y(share)); paint.stroke();
    paint.globalAlpha = 1;
    paint.textAlign = "right";
    paint.fillText(`${share * 100} %`, left - 6, y(share) + 4);
  }
  paint.fillStyle = colors.soft;
  space.shares.forEach((share, at) => paint.fillRect(x(at) - wide / 2, y(share), wide, bottom - y(share)));
  paint.strokeStyle = colors.accent;
  paint.lineWidth = 2;
  paint.beginPath();
  total.forEach((share, at) => (at ? paint.lineTo(x(at), y(share)) : paint.moveTo(x(at), y(share))));
  paint.stroke();
  if (chosen > 0) {
    paint.setLineDash([4, 4]);
    paint.beginPath(); paint.moveTo(x(chosen - 1), top); paint.lineTo(x(chosen - 1), bottom); paint.stroke();
    paint.setLineDash([]);
  }
  paint.fillStyle = colors.ink;
  paint.textAlign = "left";
  paint.fillText("basis face 1", left, height - 8);
  paint.textAlign = "right";
  paint.fillText(`${k}`, width - 14, height - 8);
  const kept = total[total.length - 1] ?? 0;
  element("spectrum").setAttribute("aria-label",
    `Share of the variance that each of ${k} basis faces holds; together they hold ${share(kept)}.`);
}

function chooser() {
  const before = element("which").value;
  const counts = new Map();
  element("which").replaceChildren(...faces.map(({ person, hash }) => {
    counts.set(person, (counts.get(person) ?? 0) + 1);
    return make("option", { value: hash, textContent: `${person} ${counts.get(person)}` });
  }));
  if (faces.some(({ hash }) => hash === before)) element("which").value = before;
  const slider = element("k");
  slider.max = space.components;
  slider.value = Math.min(space.components, Math.max(1, Math.round(space.components / 4)));
}

const chosen = () => faces.find(({ hash }) => hash === element("which").value) ?? faces[0];

// The mean face and so much of each basis face, as gray levels.
function compose(weights, count) {
  const levels = Float32Array.from(mean);
  for (let at = 0; at < count; at += 1) {
    const [weight, face] = [weights[at], basis[at]];
    for (let pixel = 0; pixel < levels.length; pixel += 1) levels[pixel] += weight * face[pixel];
  }
  return levels;
}

function paintLevels(canvas, levels) {
  [canvas.width, canvas.height] = [space.width, space.height];
  const image = new ImageData(space.width, space.height);
  levels.forEach((level, at) => image.data.set([level, level, level, 255], at * 4));
  canvas.getContext("2d").putImageData(image, 0, 0);
}

async function choose() {
  const face = chosen();
  morphed = face.weights.slice(0, SHOWN);
  const image = new Image();
  image.src = `api/v0/faces/${face.hash}/picture.png`;
  await image.decode();
  const canvas = element("original");
  [canvas.width, canvas.height] = [image.width, image.height];
  const paint = canvas.getContext("2d");
  paint.drawImage(image, 0, 0);
  levels = paint.getImageData(0, 0, canvas.width, canvas.height).data.filter((_, at) => at % 4 === 0);
  canvas.setAttribute("aria-label", `${face.person}, as enrolled`);
  rebuild();
  sliders();
  nearest();
}

// How far a face rebuilt is from the chosen one, as the lesson says it.
function error(rebuilt) {
  const squares = (other) => levels.reduce((sum, level, at) => sum + (level - other[at]) ** 2, 0);
  const [left, all] = [squares(rebuilt), squares(mean)];
  const explained = all > 0 ? `, ${share(1 - left / all)} of its difference from the mean face explained` : "";
  return `off by ${Math.sqrt(left / levels.length).toFixed(1)} gray levels${explained}`;
}

function rebuild() {
  const face = chosen();
  const count = Number(element("k").value);
  const rebuilt = compose(face.weights, count);
  element("k-says").textContent = `${count} of ${space.components}`;
  const text = `from ${count} basis faces: ${error(rebuilt)}`;
  element("rebuilt-says").textContent = text;
  element("rebuilt").setAttribute("aria-label", `${face.person}, rebuilt ${text}`);
  paintLevels(element("rebuilt"), rebuilt);
  spectrum();
}

function sliders() {
  const rows = morphed.map((weight, at) => {
    const deviation = Math.sqrt(space.eigenvalues[at]);
    const input = make("input", { type: "range", min: -3, max: 3, step: .05, value: weight / deviation });
    const value = make("output", {});
    const tell = () => { value.textContent = whole(morphed[at]); };
    tell();
    input.addEventListener("input", () => {
      morphed[at] = Number(input.value) * deviation;
      tell();
      morph();
    });
    return make("label", {}, make("span", {}, `Basis face ${at + 1}: `, value), input);
  });
  element("sliders").replaceChildren(...rows);
  morph();
}

function morph() {
  const weights = [...morphed, ...chosen().weights.slice(morphed.length)];
  paintLevels(element("morph"), compose(weights, space.components));
}

// One colour each, however many they are: hues a golden angle apart, dark enough for white letters.
const hue = (at) => `hsl(${(at * 137.508 + 210) % 360} ${at % 2 ? 80 : 55}% ${at % 3 ? 30 : 38}%)`;

function scatter() {
  if (!space || faces.length === 0) return;
  const { paint, width, height, colors } = sheet(element("scatter"), 380);
  const angle = Number(element("turn").value) * Math.PI / 180;
  const deviation = [0, 1, 2].map((at) => Math.sqrt(space.eigenvalues[at] ?? 1));
  const place = (weights) => {
    const [a, b, c] = [0, 1, 2].map((at) => (weights[at] ?? 0) / deviation[at]);
    const across = a * Math.cos(angle) + c * Math.sin(angle);
    const depth = c * Math.cos(angle) - a * Math.sin(angle);
    const unit = Math.min(width, height) / 7.5;
    return { x: width / 2 + across * unit, y: height / 2 - b * unit - depth * unit * .18, depth };
  };
  paint.strokeStyle = colors.soft;
  paint.fillStyle = colors.soft;
  paint.globalAlpha = .6;
  [[3, 0, 0], [0, 3, 0], [0, 0, 3]].forEach((end, at) => {
    const [from, to] = [place([0, 0, 0]), place(end.map((value, axis) => value * deviation[axis]))];
    paint.beginPath(); paint.moveTo(from.x, from.y); paint.lineTo(to.x, to.y); paint.stroke();
    const text = `weight ${at + 1}`;
    paint.fillText(text, Math.min(to.x + 4, width - paint.measureText(text).width - 4), Math.max(to.y - 4, 14));
  });
  paint.globalAlpha = 1;
  const people = [...new Set(faces.map(({ person }) => person))];
  const letter = (at) => String.fromCodePoint(65 + at % 26) + (at >= 26 ? Math.floor(at / 26) : "");
  const points = faces.map(({ person, weights }) => ({ ...place(weights), at: people.indexOf(person) }));
  points.sort((a, b) => b.depth - a.depth);
  paint.textAlign = "center";
  paint.font = "600 12px system-ui, sans-serif";
  for (const { x, y, at } of points) {
    paint.fillStyle = hue(at);
    paint.beginPath(); paint.arc(x, y, 9, 0, 7); paint.fill();
    paint.fillStyle = "#fff";
    paint.fillText(letter(at), x, y + 4);
  }
  shown = points.map(({ x, y, at }) => ({ x, y, person: people[at] }));
  for (const { weights } of probe ?? []) {
    const { x, y } = place(weights);
    paint.strokeStyle = colors.ink;
    paint.lineWidth = 3;
    paint.beginPath(); paint.arc(x, y, 13, 0, 7); paint.stroke();
  }
  element("legend").replaceChildren(...people.map((person, at) => {
    const mark = make("b", { textContent: letter(at) });
    mark.style.background = hue(at);
    return make("li", {}, mark, ` ${person}`);
  }));
  element("scatter").setAttribute("aria-label",
    `${faces.length} faces of ${people.length} people by their first three weights, turned by ${element("turn").value} degrees`);
}

element("k").addEventListener("input", rebuild);
element("which").addEventListener("change", () => trying(choose));
element("reset").addEventListener("click", () => trying(choose));
element("turn").addEventListener("input", scatter);
addEventListener("resize", () => {
  if (!element("explore").hidden && space) { spectrum(); scatter(); }
});

const canvas = element("scatter");
const turnBy = (degrees) => {
  const slider = element("turn");
  slider.value = ((Number(slider.value) + degrees + 540) % 360) - 180;
  scatter();
};
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons) turnBy(event.movementX / 2);
  const far = ({ x, y }) => Math.hypot(x - event.offsetX, y - event.offsetY);
  // The last painted lies on top.
  const over = shown.findLast((point) => far(point) <= 9);
  canvas.title = over?.person ?? "";
});
canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
canvas.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
  if (step) { event.preventDefault(); turnBy(step); }
});
