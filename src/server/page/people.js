// Who is enrolled: look, add, rename, merge, move, erase.

import { change, get, part, send, state } from "./api.js";
import { draw, spot } from "./faces.js";
import { work } from "./jobs.js";
import { button, counted, element, isTaken, make, question, say, summarize, trying, undo } from "./ui.js";
import { inWords } from "./words.js";

const open = new Set();

export async function show() {
  const { people } = await get("/people");
  element("list").replaceChildren(...people.map(entry));
  if (people.length === 0) {
    element("list").replaceChildren(make("li", { textContent: "Nobody is enrolled yet: add photos of somebody, or enrol a folder." }));
  }
  for (const { person } of people) if (open.has(person)) await faces(person);
}

export const stale = show;

const rowOf = (person) => [...element("list").children].find((row) => row.dataset.person === person);

const pictureOf = (hash, alt) => make("img", { src: `api/v0/faces/${hash}/picture.png`, alt, width: 80 });

function entry({ person, faces: count, portrait }) {
  const show = button("Faces", `Faces of ${person}`, () => toggle(person));
  show.setAttribute("aria-expanded", String(open.has(person)));
  const row = make("li", {},
    Object.assign(pictureOf(portrait, ""), { className: "portrait" }),
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
    Object.assign(pictureOf(hash, `${person}, face ${at + 1}`), { title: source }),
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
  if (!isSure) return false;
  await change("DELETE", `/faces/${hash}`);
  await done("The face was erased.");
  return true;
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
  if (isTaken(person)) return;
  trying(async () => {
    let added = 0;
    try {
      for (const photo of form.photos.files) {
        say(`Adding ${photo.name} ...`);
        const face = await whichFace(person, photo);
        if (!face) continue;
        // Undone together, as they came together.
        const step = added ? "&step=joined" : "";
        const before = state();
        await change("POST", `/people/${part(person)}/faces?face=${face}&source=${part(photo.name)}${step}`, photo);
        if (state() !== before) added += 1;
      }
      form.reset();
    } finally {
      await done("");
    }
    say(`${counted(added, "photo was", "photos were")} added to ${person}.`);
  });
});

// Which face of a photo is the person's: asked where it shows several; null where none is.
async function whichFace(person, photo) {
  const { faces } = await send("/identify", photo);
  if (faces.length < 2) return 1;
  const bitmap = await createImageBitmap(photo).catch(() => null);
  const dialog = element("which-face");
  element("which-face-title").textContent = `Which face is ${person}'s?`;
  element("which-face-photo").hidden = !bitmap;
  if (bitmap) draw(element("which-face-photo"), bitmap, faces);
  let picked = null;
  const pick = (at) => () => {
    picked = at + 1;
    dialog.close();
  };
  const label = (at) => `Face ${at + 1} of ${photo.name}: ${inWords(faces[at])}`;
  element("which-face-spots").replaceChildren(...faces.flatMap(({ box }, at) => (bitmap && box ? [spot(box, bitmap, label(at), pick(at))] : [])));
  element("which-face-list").replaceChildren(...faces.map((face, at) => button(face.person ?? `Face ${at + 1}`, label(at), pick(at))));
  dialog.showModal();
  await new Promise((resolve) => { dialog.addEventListener("close", resolve, { once: true }); });
  return picked;
}

element("undo").addEventListener("click", () => trying(() => undo(show)));

function finding(found) {
  const { face, other, looks_like: looksLike } = found;
  const row = make("li", {});
  // What is done with a face ends what was found about it.
  const answered = (act) => async () => {
    if (await act() !== false) row.remove();
    element("findings").hidden = !element("findings").querySelector("li");
  };
  const take = (of, text) => button(text, `${text}: the face of ${of.person}`, answered(() => eraseFace(of.person, of.hash)), "danger");
  const moveTo = (of, person) => button(`Move to ${person}`, `Move the face of ${of.person} to ${person}`, answered(async () => {
    await change("PUT", `/faces/${of.hash}`, { person });
    await done(`The face is ${person}'s now.`);
  }));
  const leave = button("Fine", `Fine: ${face.person} stays`, answered(async () => {
    await change("POST", "/findings/fine", { finding: found.finding, faces: [face, ...(other ? [other] : [])].map(({ hash }) => hash) });
    await done(`${face.person} stays: this is not shown again.`);
  }));
  const [text, ...buttons] = {
    "wrong-label": () => [`${face.person}? Looks like ${looksLike}`, moveTo(face, looksLike), take(face, "Not a face")],
    "same-picture": () => [`${face.person} and ${other.person}: the same picture`, take(face, `Not ${face.person}`), take(other, `Not ${other.person}`)],
    "not-a-face": () => [`${face.person}? Does not look like a face`, take(face, "Not a face")],
  }[found.finding]();
  const picture = (of) => pictureOf(of.hash, `enrolled as ${of.person}`);
  row.append(picture(face), ...(other ? [picture(other)] : []), make("div", {}, text), make("div", { className: "row" }, ...buttons, leave));
  return row;
}

element("check").addEventListener("click", () => trying(async () => {
  const job = await work({ kind: "check" }, "Looking for mistakes");
  if (job.state !== "done") return ended(job, "");
  const { findings } = job.result;
  element("findings").hidden = findings.length === 0;
  element("findings").replaceChildren(make("ul", {}, ...findings.map(finding)));
  say(findings.length === 0 ? "Nothing to correct was found." : `${counted(findings.length, "thing", "things")} to look at, the least certain first.`);
}));
