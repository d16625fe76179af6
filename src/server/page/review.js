// Faces of a photo folder in groups: named, ignored, or clicked away.

import { change } from "./api.js";
import { work } from "./jobs.js";
import { counted, element, make, say, summarize, trying } from "./ui.js";

export async function show() {}

const place = ({ dataset }) => ({ photo: dataset.photo, face: Number(dataset.face), box: JSON.parse(dataset.box) });
const name = (row) => row.querySelector("input").value.trim();

function face({ photo, face: number, picture, box }) {
  const made = make("button", { type: "button", title: photo, className: "face" },
    make("img", { src: picture, alt: `face ${number} of ${photo}`, width: 72 }));
  made.setAttribute("aria-pressed", "false");
  Object.assign(made.dataset, { photo, face: number, box: JSON.stringify(box) });
  made.addEventListener("click", () => {
    made.setAttribute("aria-pressed", String(made.getAttribute("aria-pressed") !== "true"));
  });
  return made;
}

function group({ faces }, at, other) {
  const input = make("input", { autocomplete: "off", placeholder: "name" });
  input.setAttribute("list", "names");
  input.setAttribute("aria-label", `Name of group ${at + 1}`);
  const ignore = make("button", { type: "button", textContent: "Ignore" });
  ignore.setAttribute("aria-label", `Ignore group ${at + 1}`);
  const heading = make("h3", {});
  const row = make("li", {}, heading,
    make("form", { className: "row" }, input, make("button", { textContent: "Enrol" }), ignore),
    make("div", { className: "faces" }, ...faces.map(face)));
  // Once the other group has a name, this is perhaps that person.
  row.perhaps = (said) => {
    heading.textContent = `Group ${at + 1}: ${counted(faces.length, "face", "faces")}${said ? `, perhaps ${said}` : ""}`;
  };
  row.perhaps(other === undefined ? "" : `the person of group ${other + 1}`);
  Object.assign(row.dataset, { at, other: other ?? "" });
  row.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (name(row)) trying(() => answer(row, name(row)));
  });
  ignore.addEventListener("click", () => trying(() => answer(row, null)));
  // X ignores a group, but not from within a text field: there it is a letter.
  row.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "x" && event.target !== input && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      ignore.click();
    }
  });
  return row;
}

// Says of a group whom it shows, or that nobody is to be named there, and goes on to the next.
async function answer(row, person) {
  const all = [...row.querySelectorAll(".face")];
  const isWrong = (made) => made.getAttribute("aria-pressed") === "true";
  const twin = person && enrolledAs(person);
  if (twin && twin !== person) return say(`${twin} is enrolled already: choose that name, or one that differs in more than capitals.`, true);
  const faces = all.filter((made) => !isWrong(made)).map(place);
  const wrong = all.filter(isWrong).map(place);
  const job = await work({ kind: "name", groups: [{ person, faces, wrong }] }, person ? `Enrolling ${person}` : "Ignoring");
  if (job.state !== "done") return say(job.error ?? "Cancelled: nothing was changed.", true);
  const next = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  for (const group of element("groups").children) {
    if (group.dataset.other === row.dataset.at) group.perhaps(person);
  }
  next?.querySelector("input").focus();
  await summarize();
  say(person ? `${counted(job.result.added, "face", "faces")} of ${person} enrolled.` : `${counted(faces.length, "face is", "faces are")} ignored.`);
}

// The name of somebody enrolled, however its capitals are.
function enrolledAs(person) {
  const names = [...element("names").options].map((option) => option.value);
  return names.find((name) => name === person) ?? names.find((name) => name.toLowerCase() === person.toLowerCase());
}

// The group that each group may be the same person as: the likeliest.
function perhaps(proposals) {
  const of = new Map();
  for (const [one, other] of proposals) {
    if (!of.has(one)) of.set(one, other);
    if (!of.has(other)) of.set(other, one);
  }
  return of;
}

// Kept for this tab, so that a reload does not lose it.
let folder = sessionStorage.getItem("folder") ?? "";
element("folder").querySelector("input").value = folder;

async function look() {
  const job = await work({ kind: "group", folder }, "Looking for faces");
  if (job.state !== "done") return say(job.error ?? "Cancelled.", true);
  const { known, groups, proposals, left_out: more } = job.result;
  const others = perhaps(proposals);
  element("groups").replaceChildren(...groups.map((found, at) => group(found, at, others.get(at))));
  const faces = known.reduce((sum, { faces: count }) => sum + count, 0);
  element("review-says").textContent = [
    known.length ? `${counted(faces, "face is", "faces are")} of ${counted(known.length, "person", "people")} who are enrolled.` : "",
    groups.length ? "" : "No face is left to name.",
    more ? `${counted(more, "more face comes", "more faces come")} when these are named.` : "",
  ].filter(Boolean).join(" ");
  say(job.skipped ? `${counted(job.skipped, "file was", "files were")} passed over: ${job.skipped_files.join("; ")}` : "");
  element("groups").querySelector("input")?.focus();
}

element("folder").addEventListener("submit", (event) => {
  event.preventDefault();
  ({ folder } = Object.fromEntries(new FormData(event.target)));
  sessionStorage.setItem("folder", folder);
  trying(look);
});

element("review-undo").addEventListener("click", () => trying(async () => {
  await change("POST", "/undo");
  await summarize();
  if (folder) await look();
  say("The last change of who is enrolled was taken back.");
}));
