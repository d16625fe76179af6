// A photo: who is in it, why, and who it is really.

import { change, part, picture, send } from "./api.js";
import { draw, portrait, spot } from "./faces.js";
import { button, counted, element, isTaken, make, question, say, summarize, trying, undo } from "./ui.js";
import * as camera from "./camera.js";
import { inWords, percent } from "./words.js";
import { tried } from "./tried.js";

let photo = null;

// What the photo that is looked at shows: its faces as the server tells of them.
let bitmap = null;
let faces = [];
let chosen = null; // the face that is being named
const nobody = new Set(); // faces that are nobody's
let drawn = null; // the box of a face that was not found

async function look(file) {
  await trying(async () => {
    say("Looking ...");
    try {
      bitmap = await createImageBitmap(file);
    } catch {
      bitmap = null; // The server may know formats that the browser does not.
    }
    photo = file;
    tried.photo = file;
    nobody.clear();
    drawn = null;
    await again();
    const count = faces.length === 0 ? "No face was found in this photo." : `${counted(faces.length, "face", "faces")} found.`;
    say(`${count} ${faces.filter((face) => face.decision !== "unknown" || face.probable).map(told).join("; ")}`);
  });
}

// Asks once more about the photo, and goes on to the first face that nobody has named.
async function again() {
  const found = await send(`/identify?top=9&name=${part(photo.name ?? "photo")}${drawn ? `&at=${drawn}` : ""}`, photo);
  const there = new Set(found.faces.map((face) => face.enrolled?.person));
  faces = found.faces.map((face) => (face.enrolled ? face : without(face, there)));
  faces.forEach((face, at) => { if (face.nobody) nobody.add(at); });
  element("why").hidden = true;
  element("photo").hidden = !bitmap;
  element("draw").hidden = !bitmap;
  element("result").hidden = false;
  next();
}

// Whether a face lies in the box that was drawn.
function isDrawn({ box }) {
  if (!drawn || !box) return false;
  const [x, y] = [box[0] + box[2] / 2 - drawn[0], box[1] + box[3] / 2 - drawn[1]];
  return x >= 0 && y >= 0 && x <= drawn[2] && y <= drawn[3];
}

function next() {
  const open = faces.findIndex((face, at) => !face.enrolled && face.decision === "unknown" && !nobody.has(at));
  choose(open < 0 ? null : open);
}

// A face that is none of the people who are in the photo already.
function without(face, there) {
  const candidates = face.candidates.filter(({ person }) => !there.has(person));
  if (candidates[0] === face.candidates[0]) return { ...face, candidates };
  return { ...face, candidates, decision: "unknown", probable: false, person: null };
}

const told = (face, at) => {
  if (nobody.has(at)) return "nobody you know";
  return face.enrolled ? `${face.enrolled.person} (you said so)` : inWords(face);
};

// Shows the faces, of which one is to be named.
function choose(which) {
  chosen = which;
  if (bitmap) draw(element("photo"), bitmap, faces.map((face, at) => ({ ...face, told: told(face, at), isNobody: nobody.has(at), isChosen: at === which })));
  element("spots").replaceChildren(...faces.flatMap((face, at) => (
    face.box && bitmap ? [spot(face.box, bitmap, `Say who face ${at + 1} is: ${told(face, at)}`, () => choose(at))] : [])));
  element("found").replaceChildren(...faces.map(entry));
  element("say-who").hidden = faces.length === 0;
  if (which === null) return;
  const row = element("found").children[which];
  (row.querySelector(".names button") ?? row.querySelector("input")).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function entry(face, at) {
  const row = make("li", {}, make("p", { className: "who", textContent: `${at + 1}. ${told(face, at)}` }));
  if (face.box && bitmap) row.prepend(portrait(face.box, bitmap));
  const why = face.candidates.length ? [button("Why", `Why face ${at + 1}`, () => explain(face, at + 1))] : [];
  if (at !== chosen) {
    row.append(make("div", { className: "row" }, button(face.enrolled ? "Change" : "Name", `Name face ${at + 1}`, () => choose(at)), ...why));
    return row;
  }
  const likely = names(face);
  const input = make("input", { name: "person", required: true, autocomplete: "off", placeholder: "name" });
  input.setAttribute("list", "names");
  input.setAttribute("aria-label", `Name of face ${at + 1}`);
  const form = make("form", { className: "row" }, input, make("button", { className: "primary", textContent: "Save" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    trying(() => name(input.value.trim()));
  });
  const none = face.enrolled
    ? button("Nobody: take it out", `Take face ${at + 1} out`, takeOut, "danger")
    : button("Nobody I know", `Face ${at + 1} is nobody I know`, () => leaveUnnamed(at));
  row.append(
    make("p", { textContent: face.enrolled ? "Who is it really?" : "Who is this?" }),
    make("div", { className: "row names" }, ...likely.map(({ person, confidence }, rank) => {
      const made = button("", `${person}, key ${rank + 1}`, () => name(person));
      made.append(make("kbd", { textContent: rank + 1 }), ` ${person} `, make("small", { textContent: percent(confidence) }));
      return made;
    })),
    form, make("div", { className: "row" }, none, ...why));
  row.className = "chosen";
  return row;
}

// The likeliest names for a face: of people who are not in the photo already.
function names(face) {
  return face.candidates.filter(({ person }) => faces.every(({ enrolled }) => enrolled?.person !== person));
}

// Gives the chosen face a name: enrols it, or moves it where it is enrolled.
async function name(person) {
  if (!person || isTaken(person)) return;
  const { enrolled } = faces[chosen];
  if (enrolled) await change("PUT", `/faces/${enrolled.hash}`, { person });
  else await change("POST", `/people/${part(person)}/faces?${isDrawn(faces[chosen]) ? `at=${drawn}` : `face=${chosen + 1}`}`, photo);
  drawn = null;
  await done(enrolled ? `This is ${person} now.` : `Saved: ${person}.`);
}

async function leaveUnnamed(at) {
  const isOfDrawn = isDrawn(faces[at]);
  if (!isOfDrawn) nobody.add(at);
  // With nobody enrolled there is nothing yet that would remember it.
  if (!isOfDrawn && faces[at].hash) {
    await change("POST", "/nobody", { face: faces[at].hash });
    await summarize();
  }
  drawn = null;
  if (isOfDrawn) await again();
  else next();
  say("Left without a name.");
}

async function takeOut() {
  const { person, hash } = faces[chosen].enrolled;
  const isSure = await question("Take this face out?", `It is ${person}'s no longer, and nobody's. This cannot be undone.`, "Take out", { isDanger: true });
  if (!isSure) return;
  await change("DELETE", `/faces/${hash}`);
  nobody.add(chosen);
  await done("The face was taken out.");
}

async function done(text) {
  await summarize();
  await again();
  say(text);
}

element("try-undo").addEventListener("click", () => trying(() => undo(stale)));

// Keys 1 to 9 are the likeliest names of the chosen face; other letters begin a name.
addEventListener("keydown", (event) => {
  const isOther = event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input") || document.querySelector("dialog[open]");
  if (isOther || chosen === null || element("try").hidden) return;
  if (/^\p{L}$/u.test(event.key)) element("found").children[chosen].querySelector("input").focus();
  if (!/^[1-9]$/.test(event.key)) return;
  const candidate = names(faces[chosen])[event.key - 1];
  if (candidate) trying(() => name(candidate.person));
});

async function explain(face, number) {
  const shown = await picture(`/explain?face=${number}${drawn ? `&at=${drawn}` : ""}`, photo);
  const canvas = element("why-picture");
  [canvas.width, canvas.height] = [shown.width, shown.height];
  canvas.getContext("2d").drawImage(shown, 0, 0);
  canvas.setAttribute("aria-label", `Pictures of what speaks for the answer to face ${number}: ${inWords(face)}`);
  element("why").hidden = false;
  element("why").scrollIntoView({ block: "nearest" });
}

// A face that was not found is shown by drawing a box around it.
const sheet = element("sheet");
let from = null; // where the box begins, in pixels of the photo

function drawing(isOn) {
  sheet.hidden = !isOn;
  element("draw").setAttribute("aria-pressed", isOn);
  element("box").hidden = true;
  from = null;
}

function place({ clientX, clientY }) {
  const { left, top, width, height } = sheet.getBoundingClientRect();
  const within = (at, length, pixels) => Math.round(Math.min(Math.max(at / length, 0), 1) * pixels);
  return [within(clientX - left, width, bitmap.width), within(clientY - top, height, bitmap.height)];
}

function boxTo(event) {
  const to = place(event);
  const [x, y] = [0, 1].map((axis) => Math.min(from[axis], to[axis]));
  return [x, y, Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1])];
}

element("draw").addEventListener("click", () => {
  drawing(sheet.hidden);
  if (!sheet.hidden) say("Draw a box around the face, from above the brows to the chin.");
});
sheet.addEventListener("pointerdown", (event) => {
  from = place(event);
  sheet.setPointerCapture(event.pointerId);
  event.preventDefault();
});
sheet.addEventListener("pointermove", (event) => {
  if (!from) return;
  const shares = [bitmap.width, bitmap.height, bitmap.width, bitmap.height];
  const [left, top, width, height] = boxTo(event).map((edge, at) => `${(edge / shares[at]) * 100}%`);
  Object.assign(element("box").style, { left, top, width, height });
  element("box").hidden = false;
});
sheet.addEventListener("pointerup", (event) => {
  if (!from) return;
  const box = boxTo(event);
  drawing(false);
  if (Math.min(box[2], box[3]) < 16) say("That box is too small for a face. Draw it larger, or use a larger photo.", true);
  else trying(() => lookIn(box));
});

async function lookIn(box) {
  drawn = box;
  await again();
  const at = faces.findLastIndex(isDrawn);
  if (at >= 0) choose(at);
  say(at >= 0 ? `Face ${at + 1}: ${told(faces[at], at)}` : "No face can be taken from there.", at < 0);
}

element("choose").addEventListener("click", () => element("file").click());
element("file").addEventListener("change", (event) => {
  const [file] = event.target.files;
  if (file) look(file);
  event.target.value = "";
});
const drop = element("drop");
for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) look(file);
});
addEventListener("paste", (event) => {
  const [file] = event.clipboardData.files;
  if (file && !element("try").hidden) look(file);
});
element("camera").addEventListener("click", () => camera.start());
element("camera-stop").addEventListener("click", () => camera.stop());

// Shows the photo anew, when the gallery is another.
export async function stale() { if (photo) await again(); }
export const show = stale;
export function leave() { camera.stop(); }
