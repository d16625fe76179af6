// The faces of a photo folder: in groups to be named, of people who were named, and ignored.

import { get, part } from "./api.js";
import { work } from "./jobs.js";
import { counted, element, make, say, summarize, trying, undo } from "./ui.js";

// Kept for this tab, so that a reload does not lose it.
let folder = sessionStorage.getItem("folder") ?? "";
element("folder").querySelector("input").value = folder;

// Whether the folder's faces are shown.
let isOpen = false;

export async function show() {
  if (!isOpen) return;
  // Shown anew or not at all: somebody may have been erased meanwhile.
  element("named").hidden = true;
  await named();
}

const fileName = (path) => path.split(/[\\/]/).pop();

function button(text, label, act, className = "") {
  const made = make("button", { type: "button", textContent: text, className });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", () => trying(async () => act(made)));
  return made;
}

// A photo with a face framed.
function showPhoto(id, title, path) {
  const image = element("photo-shown");
  element("photo-title").textContent = title;
  element("photo-says").textContent = path;
  image.onerror = () => {
    element("photo-says").textContent = `${path} was changed, moved or deleted since the folder was grouped: group it again.`;
  };
  image.alt = `${fileName(path)}, the face framed`;
  image.src = `api/v0/folder/faces/${id}/photo.jpg`;
  element("photo-dialog").showModal();
}
element("photo-dialog").addEventListener("close", () => element("photo-shown").removeAttribute("src"));

// A face of a group, which is clicked where it is someone else's; the corner shows its photo. Of a single face the whole does.
function face({ id, photo, face: number, picture }, isOfSeveral) {
  const file = fileName(photo);
  const image = make("img", { src: picture, alt: `face ${number} of ${file}`, width: 72, loading: "lazy" });
  const open = () => showPhoto(id, file, photo);
  if (!isOfSeveral) {
    const made = button("", `Photo of face ${number} of ${file}`, open, "picture");
    made.append(image);
    made.dataset.id = id;
    return made;
  }
  const toggle = make("button", { type: "button", title: photo, className: "picture" }, image);
  toggle.setAttribute("aria-pressed", "false");
  toggle.dataset.id = id;
  toggle.addEventListener("click", () => {
    toggle.setAttribute("aria-pressed", String(toggle.getAttribute("aria-pressed") !== "true"));
  });
  return make("div", { className: "face" }, toggle, button("\u2922", `Photo of face ${number} of ${file}`, open, "corner"));
}

// What is to be named: a group, a single face, or faces that look like a person's, who is `proposed`.
function group({ faces, person }, title, perhaps, proposed) {
  const input = make("input", { autocomplete: "off", placeholder: "name", value: proposed ?? "" });
  input.setAttribute("list", "names");
  input.setAttribute("aria-label", `Name of ${title}`);
  const ignore = button("Ignore", `Ignore ${title}`, () => inTurn(row, null));
  const heading = make("h3", {});
  const isOfSeveral = faces.length > 1 || proposed !== undefined;
  const row = make("li", {}, heading,
    make("div", { className: "faces" }, ...faces.map((found) => face(found, isOfSeveral))),
    make("form", { className: "row" }, input, make("button", { textContent: proposed ? "Confirm" : "Enrol" }), ignore));
  row.input = input;
  // Once the other group has a name, this is perhaps that person.
  row.perhaps = (said) => {
    const text = proposed ? `${proposed}?` : title[0].toUpperCase() + title.slice(1);
    const count = isOfSeveral ? `: ${counted(faces.length, "face", "faces")}` : "";
    heading.textContent = `${text}${count}${said ? `, perhaps ${said}` : ""}`;
  };
  row.perhaps(person ?? perhaps);
  row.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim()) inTurn(row, input.value.trim());
  });
  // X ignores a group, but not from within a text field: there it is a letter.
  row.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "x" && event.target !== input && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      ignore.click();
    }
  });
  return row;
}

// One after the other, for a job refuses another; a group that is gone was answered.
let turn = Promise.resolve();
function inTurn(row, person) {
  turn = turn.catch(() => {}).then(() => (row.isConnected ? trying(() => answer(row, person)) : undefined));
  return turn;
}

const rows = () => [...element("groups").children, ...element("singles").children];

// Says of a group whom it shows, or that nobody is to be named there, and goes on to the next.
async function answer(row, person) {
  const pictures = [...row.querySelectorAll(".picture")];
  const isWrong = (made) => made.getAttribute("aria-pressed") === "true";
  const twin = person && enrolledAs(person);
  if (twin && twin !== person) return say(`${twin} is enrolled already: choose that name, or one that differs in more than capitals.`, true);
  const ids = (some) => some.map(({ dataset }) => dataset.id);
  const faces = ids(pictures.filter((made) => !isWrong(made)));
  const wrong = ids(pictures.filter(isWrong));
  const job = await work({ kind: "name", groups: [{ person, faces, wrong }] }, person ? `Enrolling ${person}` : "Ignoring");
  if (job.state !== "done") return say(job.error ?? "Cancelled: nothing was changed.", true);
  const all = rows();
  const next = all[all.indexOf(row) + 1] ?? all[all.indexOf(row) - 1];
  row.remove();
  for (const other of rows()) if (other.dataset.other === row.dataset.at) other.perhaps(person);
  hideEmpty();
  next?.input.focus();
  await summarize();
  await named();
  if (!person) ignored(pictures.filter((made) => !isWrong(made)).map((made) => row.found.get(made.dataset.id)));
  if (faces.length === 0) return say(`${counted(wrong.length, "face is", "faces are")} kept apart from ${person ?? "the others"}.`);
  say(person ? `${counted(job.result.added, "face", "faces")} of ${person} enrolled.` : `${counted(faces.length, "face is", "faces are")} ignored.`);
}

// The name of somebody enrolled, however its capitals are.
function enrolledAs(person) {
  const names = [...element("names").options].map((option) => option.value);
  return names.find((name) => name === person) ?? names.find((name) => name.toLowerCase() === person.toLowerCase());
}

// The group that each group may be the same person as: the likeliest.
function perhaps(proposals, isGroup) {
  const of = new Map();
  for (const [one, other] of proposals) {
    if (!of.has(one) && isGroup(other)) of.set(one, other);
    if (!of.has(other) && isGroup(one)) of.set(other, one);
  }
  return of;
}

function hideEmpty() {
  element("singles-part").hidden = element("singles").children.length === 0;
  element("to-name").hidden = rows().length === 0;
}

// Adds faces to those that are ignored, each with a way back.
function ignored(faces) {
  element("ignored").append(...faces.map((found) => {
    const of = `face ${found.face} of ${fileName(found.photo)}`;
    return make("li", {}, face(found, false), button("Bring back", `Bring back ${of}`, async () => {
      const job = await work({ kind: "bring-back", faces: [found.id] }, "Bringing back");
      if (job.state !== "done") return say(job.error ?? "Cancelled.", true);
      await summarize();
      await look();
      say(`${of} is ignored no longer.`);
    }));
  }));
  const count = element("ignored").children.length;
  element("ignored-title").textContent = `Ignored: ${counted(count, "face", "faces")}`;
  element("ignored-part").hidden = count === 0;
}

// Everybody of whom a face in this folder is enrolled.
async function named() {
  const { people } = await get("/folder");
  element("named").hidden = people.length === 0;
  element("named-list").replaceChildren(...people.map(({ person, photos }) => {
    const save = make("a", { className: "button", href: `api/v0/folder/photos.zip?person=${part(person)}`, download: "", textContent: "Download (ZIP)" });
    save.setAttribute("aria-label", `Download (ZIP): photos of ${person}`);
    const all = photos.length === 1 ? "1 photo" : `All ${photos.length} photos`;
    return make("li", {},
      make("b", { textContent: person }),
      button(all, `${all} of ${person}`, () => gallery(person, photos)),
      save);
  }));
}

function gallery(person, photos) {
  element("gallery-title").textContent = `All photos of ${person}`;
  element("gallery-photos").replaceChildren(...photos.map(({ id, name }) => {
    const made = button("", `Photo ${name}`, () => showPhoto(id, `${person} in ${name}`, name), "picture");
    made.append(make("img", { src: `api/v0/folder/faces/${id}/photo.jpg?side=320`, alt: name, loading: "lazy" }));
    return make("li", {}, made);
  }));
  element("gallery").showModal();
}

async function look() {
  const job = await work({ kind: "group", folder }, "Looking for faces");
  if (job.state !== "done") return say(job.error ?? "Cancelled.", true);
  isOpen = true;
  const { known, proposed, groups, proposals, ignored: passed, left_out: more, unsaved } = job.result;
  // Single faces are told which group they may belong to, and not the other way round.
  const others = perhaps(proposals, (at) => groups[at]?.faces.length > 1);
  const made = groups.map((found, at) => {
    const other = others.get(at);
    const isSingle = found.faces.length === 1;
    const of = other === undefined ? "" : `the person of group ${other + 1}`;
    const row = group(found, `${isSingle ? "single face" : "group"} ${at + 1}`, of);
    Object.assign(row.dataset, { at, other: other ?? "" });
    row.found = new Map(found.faces.map((one) => [one.id, one]));
    return row;
  });
  const confirm = proposed.map((found) => {
    const row = group({ faces: found.faces }, `faces that look like ${found.person}`, "", found.person);
    row.found = new Map(found.faces.map((one) => [one.id, one]));
    return row;
  });
  const isSingle = (row) => row.found.size === 1;
  element("groups").replaceChildren(...confirm, ...made.filter((row) => !isSingle(row)));
  element("singles").replaceChildren(...made.filter(isSingle));
  hideEmpty();
  element("ignored").replaceChildren();
  ignored(passed);
  await named();
  const faces = known.reduce((sum, { faces: count }) => sum + count, 0);
  element("review-says").textContent = [
    known.length ? `${counted(faces, "face is", "faces are")} of ${counted(known.length, "person", "people")} named.` : "",
    rows().length ? "" : "No face is left to name.",
    more ? `${counted(more, "more face comes", "more faces come")} when these are named.` : "",
    unsaved ?? "",
  ].filter(Boolean).join(" ");
  say(job.skipped ? `${counted(job.skipped, "file was", "files were")} passed over: ${job.skipped_files.join("; ")}` : "");
  rows()[0]?.input.focus();
}

element("folder").addEventListener("submit", (event) => {
  event.preventDefault();
  ({ folder } = Object.fromEntries(new FormData(event.target)));
  sessionStorage.setItem("folder", folder);
  trying(look);
});

element("review-undo").addEventListener("click", () => trying(() => undo(async () => { if (folder) await look(); })));

const problems = (result) => (result.problems.length ? ` Not done: ${result.problems.join("; ")}` : "");

element("sort").addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = Object.fromEntries(new FormData(event.target));
  trying(async () => {
    const job = await work({ kind: "sort", ...asked }, "Sorting");
    if (job.state !== "done") return say(job.error ?? "Cancelled: what was sorted stays.", true);
    const done = asked.by === "link" ? "linked" : "copied";
    const told = job.result.folders.map((sorted) => {
      const there = sorted.there ? ` (${sorted.there} there already)` : "";
      return `${counted(sorted.new, "photo", "photos")} ${done} into ${sorted.folder}${there}`;
    });
    say(`${told.join("; ")}.${problems(job.result)}`, job.result.problems.length > 0);
  });
});

element("write-xmp").addEventListener("click", () => trying(async () => {
  const job = await work({ kind: "write-xmp" }, "Writing names");
  if (job.state !== "done") return say(job.error ?? "Cancelled: what was written stays.", true);
  const { names, sidecars, kept } = job.result;
  const stays = kept ? ` ${counted(kept, "name that a person wrote stays", "names that a person wrote stay")}.` : "";
  say(`${counted(names, "name", "names")} written into ${counted(sidecars, "XMP file", "XMP files")}.${stays}${problems(job.result)}`, job.result.problems.length > 0);
}));
