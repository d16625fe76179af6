// The faces of a photo folder: in groups to be named, of people who were named, and ignored.

import { ask, get, part } from "./api.js";
import { work } from "./jobs.js";
import { button, counted, element, isTaken, make, say, summarize, trying, undo } from "./ui.js";

// Kept for this tab, so that a reload does not lose it.
let folder = sessionStorage.getItem("folder") ?? "";
element("folder").querySelector("input").value = folder;

// What is named in the folder, what is not shown yet, and why nothing is remembered.
const kept = { people: [], more: 0, unsaved: "" };

// Says how many faces are named and how many are left: true after each answer.
function tell() {
  const count = (some, faces) => some.reduce((sum, one) => sum + faces(one), 0);
  const [faces, left] = [count(kept.people, (one) => one.faces), count(rows(), (row) => row.found.size) + kept.more];
  element("review-says").textContent = [
    faces ? `${counted(faces, "face is", "faces are")} named: ${counted(kept.people.length, "person", "people")}.` : "",
    left ? `${counted(left, "face is", "faces are")} left.` : "No face is left to name.",
    kept.more ? `${counted(kept.more, "more comes", "more come")} when these are named.` : "",
    kept.unsaved,
  ].filter(Boolean).join(" ");
}

// Whether the folder's faces are shown.
let isOpen = false;

export async function show() {
  if (!isOpen) return;
  // Shown anew or not at all: somebody may have been erased meanwhile.
  element("named").hidden = true;
  await named();
}

const fileName = (path) => path.split(/[\\/]/).pop();

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
  // In colour, with what is around it; until that has come, as it is compared.
  const image = make("img", { src: `api/v0/folder/faces/${id}/portrait.jpg`, alt: `face ${number} of ${file}`, width: 88, height: 88, loading: "lazy" });
  image.style.backgroundImage = `url(${picture})`;
  image.addEventListener("error", () => { image.src = picture; }, { once: true });
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
    toggle.closest("li").tell();
  });
  return make("div", { className: "face" }, toggle, button("\u2922", `Photo of face ${number} of ${file}`, open, "corner"));
}

// What is to be named: a group, a single face, or faces that look like a person's, who is `proposed`. `other` is the number of the
// group that it is perhaps of one person with.
function group({ faces, person }, title, { proposed, at, other } = {}) {
  const input = make("input", { autocomplete: "off", placeholder: "name", value: proposed ?? "" });
  input.setAttribute("list", "names");
  input.setAttribute("aria-label", `Name of ${title}`);
  const ignore = button("Ignore", `Ignore ${title}`, () => inTurn(row, null));
  const apart = button("", "", () => inTurn(row, undefined));
  const heading = make("h3", {});
  const isOfSeveral = faces.length > 1 || proposed !== undefined;
  const row = make("li", {}, heading,
    make("div", { className: "faces" }, ...faces.map((found) => face(found, isOfSeveral))),
    make("form", { className: "row" }, input, make("button", { textContent: proposed ? "Confirm" : "Save" }),
      ...(faces.length > 1 ? [button("Split", `Split ${title}`, () => split(row))] : []), apart, ignore),
    make("p", { className: "bad", hidden: true }));
  Object.assign(row, { input, at, other, found: new Map(faces.map((one) => [one.id, one])), whom: proposed ?? person ?? undefined });
  // How many faces there are, but for those that are clicked away, and who they are perhaps.
  row.tell = () => {
    const away = row.querySelectorAll(".picture[aria-pressed=true]").length;
    const count = isOfSeveral ? `: ${away ? `${faces.length - away} of ` : ""}${counted(faces.length, "face", "faces")}` : "";
    const whom = row.whom ?? (row.other === undefined ? "" : `the person of group ${row.other + 1}`);
    heading.textContent = proposed ? `${proposed}?${count}` : `${title[0].toUpperCase()}${title.slice(1)}${count}${whom && `, perhaps ${whom}`}`;
    apart.hidden = !whom;
    apart.textContent = row.whom ? `Not ${row.whom}` : "Two people";
    apart.setAttribute("aria-label", `${title} is not ${whom}`);
  };
  row.tell();
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
  if (person && isTaken(person)) return complain(row, element("status").textContent);
  if (person === undefined) return keepApart(row);
  const ids = (some) => some.map(({ dataset }) => dataset.id);
  const faces = ids(pictures.filter((made) => !isWrong(made)));
  const wrong = ids(pictures.filter(isWrong));
  const job = await work({ kind: "name", groups: [{ person, faces, wrong }] }, person ? `Enrolling ${person}` : "Ignoring");
  if (job.state !== "done") return complain(row, job.error ?? "Cancelled: nothing was changed.");
  const all = rows();
  const next = all[all.indexOf(row) + 1] ?? all[all.indexOf(row) - 1];
  row.remove();
  tellOthers(row, person);
  hideEmpty();
  next?.input.focus();
  await summarize();
  await named();
  tell();
  if (!person) ignored(pictures.filter((made) => !isWrong(made)).map((made) => row.found.get(made.dataset.id)));
  if (faces.length === 0) return say(`${counted(wrong.length, "face is", "faces are")} kept apart from ${person ?? "the others"}.`);
  const refused = job.result.refused ? ` ${counted(job.result.refused, "face", "faces")} could not be.` : "";
  say(person ? `${counted(job.result.added, "face", "faces")} of ${person} enrolled.${refused}` : `${counted(faces.length, "face is", "faces are")} ignored.`);
}

// Groups that were perhaps of one person with this one are perhaps of the person it was named as.
function tellOthers(row, person) {
  for (const other of rows().filter((one) => row.at !== undefined && one.other === row.at)) {
    other.whom ??= person ?? undefined;
    other.other = undefined;
    other.tell();
  }
}

// Says what went wrong, beside the button too.
function complain(row, text) {
  say(text, true);
  const beside = row.querySelector("p.bad");
  [beside.textContent, beside.hidden] = [text, false];
}

// Says that a group is not of the person whom it was perhaps, or not of that of another group.
async function keepApart(row) {
  const ids = (of) => [...of.found.keys()];
  const person = row.whom;
  const other = rows().find((one) => one.at === row.other);
  if (person && !kept.people.some((one) => one.person === person)) {
    return complain(row, `No face of ${person} is named in this folder yet, so this cannot be kept. Name one first, or choose Ignore.`);
  }
  const said = person ? { person, faces: [], wrong: ids(row) } : { person: "", faces: ids(other), wrong: ids(row) };
  const job = await work({ kind: "name", groups: [said] }, "Keeping apart");
  if (job.state !== "done") return complain(row, job.error ?? "Cancelled: nothing was changed.");
  await summarize();
  await look();
  say(person ? `${counted(row.found.size, "face is", "faces are")} not ${person}.` : "These are two people.");
}

// Makes two groups of one, about the two faces that are least alike.
async function split(row) {
  const { parts } = await ask("/folder/split", { faces: [...row.found.keys()] });
  const halves = parts.map((part, at) => group({ faces: part.map((id) => row.found.get(id)) }, `part ${at + 1}`));
  tellOthers(row, undefined);
  row.replaceWith(...halves);
  halves[0].input.focus();
  say("Split by likeness. Name each part; nothing is changed until then.");
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
  kept.people = people;
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
  const { proposed, groups, proposals, ignored: passed, left_out: more, unsaved } = job.result;
  // Single faces are told which group they may belong to, and not the other way round.
  const others = perhaps(proposals, (at) => groups[at]?.faces.length > 1);
  const toName = groups.map((found, at) => {
    const title = `${found.faces.length === 1 ? "single face" : "group"} ${at + 1}`;
    return group(found, title, { at, other: others.get(at) });
  });
  const confirm = proposed.map(({ person, faces }) => group({ faces }, `faces that look like ${person}`, { proposed: person }));
  const isSingle = (row) => row.found.size === 1;
  element("groups").replaceChildren(...confirm, ...toName.filter((row) => !isSingle(row)));
  element("singles").replaceChildren(...toName.filter(isSingle));
  hideEmpty();
  element("ignored").replaceChildren();
  ignored(passed);
  await named();
  Object.assign(kept, { more, unsaved: unsaved ?? "" });
  tell();
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
