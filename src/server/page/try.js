// A photo: who is in it, why, and who it is really.

import { change, part, picture, send } from "./api.js";
import { element, make, question, say, summarize, trying } from "./ui.js";
import * as camera from "./camera.js";
import { inWords, percent } from "./words.js";
import { tried } from "./tried.js";

let photo = null;

// Frames and numbers over a photo; names are in the list beside it.
export function draw(canvas, bitmap, faces) {
  // Enlarged where it is small, or frames and letters would be coarse.
  const scale = Math.min(Math.max(1, 800 / bitmap.width), 1600 / Math.max(bitmap.width, bitmap.height));
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  const paint = canvas.getContext("2d");
  paint.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const line = Math.max(2, canvas.width / 300);
  faces.forEach((face, at) => {
    if (!face.box) return;
    const [x, y, width, height] = face.box.map((edge) => edge * scale);
    paint.lineWidth = line * 2;
    paint.strokeStyle = "#000";
    paint.strokeRect(x, y, width, height);
    paint.lineWidth = line;
    paint.strokeStyle = face.decision === "known" ? "#6be36b" : "#ffd23f";
    paint.setLineDash(face.decision === "known" ? [] : [line * 3, line * 2]);
    paint.strokeRect(x, y, width, height);
    paint.setLineDash([]);
    const letters = Math.max(13, canvas.width / 45);
    const name = face.decision === "known" ? face.person : face.probable ? `${face.candidates[0].person}?` : "";
    const text = `${at + 1}${name ? ` ${name}` : ""}`;
    paint.font = `600 ${letters}px system-ui, sans-serif`;
    const wide = paint.measureText(text).width + letters * .6;
    const top = y > letters * 1.5 ? y - letters * 1.4 : y + height;
    const left = Math.max(0, Math.min(x - line, canvas.width - wide));
    paint.fillStyle = "#000c";
    paint.fillRect(left, top, wide, letters * 1.4);
    paint.fillStyle = "#fff";
    paint.fillText(text, left + letters * .3, top + letters * 1.05);
  });
  const told = faces.map((face, at) => `face ${at + 1}: ${inWords(face)}`).join("; ");
  canvas.setAttribute("aria-label", told ? `The photo. ${told}` : "The photo, in which no face was found");
}

async function look(file) {
  await trying(async () => {
    element("why").hidden = true;
    say("Looking ...");
    let bitmap;
    try {
      bitmap = await createImageBitmap(file);
    } catch {
      bitmap = null; // The server may know formats that the browser does not.
    }
    const found = await send(`/identify?top=3&name=${part(file.name ?? "photo")}`, file);
    photo = file;
    tried.photo = file;
    if (bitmap) draw(element("photo"), bitmap, found.faces);
    element("photo").hidden = !bitmap;
    list(found.faces);
    element("result").hidden = false;
    say(found.faces.length === 0 ? "No face was found in this photo." : found.faces.map(inWords).join("; "));
  });
}

function list(faces) {
  const rows = faces.map((face, at) => {
    const number = at + 1;
    const others = face.candidates.slice(1).map((other) => `${other.person} ${percent(other.confidence)}`);
    if (face.somebody_else !== null) others.push(`somebody else ${percent(face.somebody_else)}`);
    const why = make("button", { type: "button", textContent: "Why" });
    why.setAttribute("aria-label", `Why face ${number}`);
    why.addEventListener("click", () => explain(face, number, faces.length));
    const right = make("button", { type: "button", textContent: "Name this person" });
    right.setAttribute("aria-label", `Name this person: face ${number}`);
    right.addEventListener("click", () => teach(number, faces.length));
    return make("li", {},
      make("p", { className: "who", textContent: `${number}. ${inWords(face)}` }),
      make("p", { className: "note", textContent: others.length ? `Otherwise: ${others.join(", ")}` : "" }),
      make("div", { className: "row" }, why, right));
  });
  element("found").replaceChildren(...rows);
}

async function explain(face, number, of) {
  await trying(async () => {
    const bitmap = await picture(`/explain${of > 1 ? `?face=${number}` : ""}`, photo);
    const canvas = element("why-picture");
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    canvas.setAttribute("aria-label", `Pictures of what speaks for the answer to face ${number}: ${inWords(face)}`);
    element("why").hidden = false;
    element("why").scrollIntoView({ block: "nearest" });
  });
}

async function teach(number, of) {
  const name = await question(`Who is face ${number}?`,
    "The face is enrolled under this name, and recognised from now on.", "Enrol", { name: "" });
  if (!name) return;
  await trying(async () => {
    await change("POST", `/people/${part(name)}/faces${of > 1 ? `?face=${number}` : ""}`, photo);
    await summarize();
    await look(photo);
    say(`Enrolled as ${name}.`);
  });
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

export async function show() {}
export function leave() { camera.stop(); }
