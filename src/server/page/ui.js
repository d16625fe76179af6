// What all views use: elements, messages, questions.

import { change, get, Refused, withState } from "./api.js";

export const element = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function button(text, label, act, className = "") {
  const made = make("button", { type: "button", textContent: text, className });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", () => trying(async () => act(made)));
  return made;
}

export function say(text, isBad = false) {
  const status = element("status");
  status.textContent = text;
  status.classList.toggle("bad", isBad);
}

let shown = async () => {};

// What shows the view anew, after somebody else has changed the gallery.
export function onStale(show) { shown = show; }

async function stale() {
  await shown();
  say("The gallery was changed elsewhere meanwhile. This is how it is now: please try again.", true);
}

// Does something, and says what went wrong.
export async function trying(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 412) await stale();
    else say(error.message, true);
  }
}

export const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// As many faces are not taken out without a question.
const MANY = 20;

// The state of the gallery whose last change the buttons name.
let undoable = null;
let erases = 0; // faces that go with it

// Says who is enrolled and what can be undone; called after every change.
export async function summarize() {
  const { people } = await get("/people");
  const faces = people.reduce((sum, person) => sum + person.faces, 0);
  element("summary").textContent = faces === 0
    ? "nobody is enrolled"
    : `${counted(faces, "face", "faces")} of ${counted(people.length, "person", "people")}`;
  element("names").replaceChildren(...people.map(({ person }) => make("option", { value: person })));
  const [{ change: last, erases: gone }, state] = await withState("/undo");
  [undoable, erases] = [state, gone];
  for (const button of document.querySelectorAll("button.undo")) {
    button.disabled = last === null;
    button.textContent = last === null ? "Nothing to undo" : `Undo: ${last}`;
  }
}

// Undoes the last change, then shows how it is.
export async function undo(show) {
  const many = `${erases} faces are taken out again. To have them back, their photos have to be added again.`;
  if (erases >= MANY && !await question("Undo?", many, "Undo", { isDanger: true })) return;
  const { change: undone } = await change("POST", "/undo", undefined, undoable).finally(summarize);
  await show();
  say(`Undone: ${undone}.`);
}

// Whether somebody enrolled has this name but for capitals, which is said.
export function isTaken(person) {
  const names = [...element("names").options].map((option) => option.value);
  const twin = names.includes(person) ? undefined : names.find((name) => name.toLowerCase() === person.toLowerCase());
  if (twin) say(`${twin} is enrolled already: choose that name, or one that differs in more than capitals.`, true);
  return twin !== undefined;
}

// Asks for a name, or for a yes; null where the answer is no.
export function question(title, text, yes, { name, isDanger = false } = {}) {
  const dialog = element("ask");
  const input = element("ask-name");
  element("ask-title").textContent = title;
  element("ask-says").textContent = text;
  element("ask-yes").textContent = yes;
  element("ask-yes").className = isDanger ? "danger" : "primary";
  element("ask-label").hidden = name === undefined;
  input.required = name !== undefined;
  input.value = name ?? "";
  dialog.returnValue = "no";
  dialog.showModal();
  (name === undefined ? element("ask-yes") : input).focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const isYes = dialog.returnValue === "yes";
      resolve(isYes ? (name === undefined ? true : input.value.trim()) : null);
    }, { once: true });
  });
}

// Enter says yes: the first button of a form would be pressed otherwise.
element("ask-name").addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    if (event.target.value.trim()) element("ask").close("yes");
  }
});
