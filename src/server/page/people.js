// Who is enrolled: look, add, rename, merge, move, erase.

import { change, get, part } from "./api.js";
import { work } from "./jobs.js";
import { counted, element, make, question, say, summarize, trying, undo } from "./ui.js";

const open = new Set();

export async function show() {
  const { people } = await get("/people");
  element("list").replaceChildren(...people.map(entry));
  if (people.length === 0) {
    element("list").replaceChildren(make("li", { textContent: "Nobody is enrolled yet: add photos of somebody, or enrol a folder." }));
  }
  for (const { person } of people) if (open.has(person)) await faces(person);
}

const rowOf = (person) => [...element("list").children].find((row) => row.dataset.person === person);

function button(text, label, work, className = "") {
  const made = make("button", { type: "button", textContent: text, className });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", () => trying(work));
  return made;
}

function entry({ person, faces: count }) {
  const show = button("Faces", `Faces of ${person}`, () => toggle(person));
  show.setAttribute("aria-expanded", String(open.has(person)));
  const row = make("li", {},
    make("h3", { textContent: person }),
    make("p", { className: "note", textContent: counted(count, "face", "faces") }),
    make("div", { className: "row" },
      show,
      button("Rename", `Rename ${person}`, () => rename(person)),
      button("Merge", `Merge ${person} into somebody`, () => merge(person)),
      button("Erase", `Erase ${person}`, () => erase(person, count), "danger")),
    make("ul", { className: "tiles", hidden: true }));
  row.dataset.person = person;
  return row;
}

async function toggle(person) {
  if (open.delete(person)) {
    await show();
  } else {
    open.add(person);
    await faces(person);
  }
  rowOf(person)?.querySelector("button").focus();
}

async function faces(person) {
  const found = await get(`/people/${part(person)}/faces`);
  const row = rowOf(person);
  row.querySelector("button").setAttribute("aria-expanded", "true");
  const tiles = row.querySelector("ul");
  tiles.hidden = false;
  tiles.replaceChildren(...found.faces.map(({ hash, source }, at) => make("li", {},
    make("img", { src: `api/v0/faces/${hash}/picture.png`, alt: `${person}, face ${at + 1}`, title: source, width: 80 }),
    make("div", {},
      button("Move", `Move face ${at + 1} of ${person}`, () => move(person, hash)),
      button("Erase", `Erase face ${at + 1} of ${person}`, () => eraseFace(person, hash), "danger")))));
}

async function done(text) {
  await summarize();
  await show();
  say(text);
}

async function rename(person) {
  const name = await question(`Rename ${person}`, "", "Rename", { name: person });
  if (!name || name === person) return;
  await change("PUT", `/people/${part(person)}`, { person: name });
  await done(`${person} is called ${name} now.`);
  rowOf(name)?.querySelector("button").focus();
}

async function merge(person) {
  const into = await question(`Merge ${person}`, "All faces become this person's:", "Merge", { name: "" });
  if (!into) return;
  await change("POST", `/people/${part(person)}/merge`, { into });
  await done(`The faces of ${person} are ${into}'s now.`);
}

async function move(person, hash) {
  const name = await question("Move this face", `It is enrolled as ${person}. Whose is it?`, "Move", { name: "" });
  if (!name) return;
  await change("PUT", `/faces/${hash}`, { person: name });
  await done(`The face is ${name}'s now.`);
}

const MEANING = "They are taken out of the model, which is learned again without them: nothing of them is left in the file. This cannot be undone. Copies and backups that you made are yours to erase.";

async function erase(person, count) {
  const isSure = await question(`Erase ${person}?`, `${counted(count, "face", "faces")}. ${MEANING}`, "Erase", { isDanger: true });
  if (!isSure) return;
  await change("DELETE", `/people/${part(person)}`);
  await done(`${person} was erased.`);
}

async function eraseFace(person, hash) {
  const isSure = await question(`Erase this face of ${person}?`, MEANING.replace("They are", "It is").replaceAll("them", "it"), "Erase", { isDanger: true });
  if (!isSure) return;
  await change("DELETE", `/faces/${hash}`);
  await done("The face was erased.");
}

function ended(job, text) {
  if (job.state === "cancelled") return done("Cancelled: nothing was changed.");
  if (job.state === "failed") return say(job.error, true);
  return done(text);
}

element("enroll").addEventListener("submit", (event) => {
  event.preventDefault();
  const { folder } = Object.fromEntries(new FormData(event.target));
  trying(async () => {
    const job = await work({ kind: "enroll", folder }, "Enrolling");
    const skipped = job.skipped ? ` ${counted(job.skipped, "file was", "files were")} passed over: ${job.skipped_files.join("; ")}` : "";
    const notices = job.notices.map((notice) => ` Note: ${notice}.`).join("");
    await ended(job, `${counted(job.result?.added ?? 0, "face", "faces")} enrolled.${skipped}${notices}`);
  });
});

element("add").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const person = form.person.value.trim();
  trying(async () => {
    let added = 0;
    try {
      for (const photo of form.photos.files) {
        say(`Adding ${photo.name} ...`);
        await change("POST", `/people/${part(person)}/faces?source=${part(photo.name)}`, photo);
        added += 1;
      }
      form.reset();
    } finally {
      await done("");
    }
    say(`${counted(added, "photo was", "photos were")} added to ${person}.`);
  });
});

element("undo").addEventListener("click", () => trying(() => undo(show)));

function finding(found) {
  const face = (of) => make("img", { src: `api/v0/faces/${of.hash}/picture.png`, alt: `enrolled as ${of.person}`, width: 80 });
  const text = {
    "wrong-label": () => `enrolled as ${found.face.person}, looks like ${found.looks_like}`,
    "same-picture": () => `${found.face.person} and ${found.other.person}: the same picture`,
    "not-a-face": () => `enrolled as ${found.face.person}, does not look like a face`,
  }[found.finding]();
  const pictures = [face(found.face), ...(found.other ? [face(found.other)] : [])];
  return make("li", {}, ...pictures, make("div", { textContent: text }));
}

element("check").addEventListener("click", () => trying(async () => {
  const job = await work({ kind: "check" }, "Looking for mistakes");
  if (job.state !== "done") return ended(job, "");
  const { findings } = job.result;
  element("findings").hidden = findings.length === 0;
  element("findings").replaceChildren(make("ul", { className: "tiles" }, ...findings.map(finding)));
  say(findings.length === 0 ? "Nothing to correct was found." : `${counted(findings.length, "thing", "things")} to look at.`);
}));
