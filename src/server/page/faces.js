// The faces of a photo: framed, to be clicked, and cut out.

import { button, make } from "./ui.js";
import { inWords } from "./words.js";

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
    const isKnown = face.enrolled || face.decision === "known";
    paint.strokeStyle = face.isChosen ? "#fff" : face.isNobody ? "#aaa" : isKnown ? "#6be36b" : "#ffd23f";
    paint.setLineDash(isKnown || face.isChosen ? [] : [line * 3, line * 2]);
    paint.strokeRect(x, y, width, height);
    paint.setLineDash([]);
    const letters = Math.max(13, canvas.width / 45);
    const guess = face.decision === "known" ? face.person : face.probable ? `${face.candidates[0].person}?` : "";
    const name = face.isNobody ? "" : face.enrolled?.person ?? guess;
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
  const told = faces.map((face, at) => `face ${at + 1}: ${face.told ?? inWords(face)}`).join("; ");
  canvas.setAttribute("aria-label", told ? `The photo. ${told}` : "The photo, in which no face was found");
}

// A button over a face.
export function spot([x, y, width, height], bitmap, label, work) {
  const made = button("", label, work, "spot");
  const share = (edge, of) => `${(edge / of) * 100}%`;
  Object.assign(made.style, {
    left: share(x, bitmap.width), top: share(y, bitmap.height), width: share(width, bitmap.width), height: share(height, bitmap.height),
  });
  return made;
}

// A face with some of what is around it.
export function portrait([x, y, width, height], bitmap) {
  const canvas = make("canvas", { width: 96, height: 96, className: "portrait" });
  const side = Math.max(width, height) * 1.5;
  canvas.getContext("2d").drawImage(bitmap, x + width / 2 - side / 2, y + height / 2 - side / 2, side, side, 0, 0, 96, 96);
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}
