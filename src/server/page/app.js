// Which view is shown, and what is said.

import { get, Refused } from "./api.js";
import * as people from "./people.js";
import * as explore from "./explore.js";
import * as attempt from "./try.js";

export const element = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function say(text, isBad = false) {
  const status = element("status");
  status.textContent = text;
  status.classList.toggle("bad", isBad);
}

// Does something, and says what went wrong.
export async function trying(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 412) {
      await people.show();
      say("The gallery was changed elsewhere meanwhile. This is how it is now: please try again.", true);
    } else {
      say(error.message, true);
    }
  }
}

export const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

export async function summarize() {
  const model = await get("/model");
  element("summary").textContent = model.faces === 0
    ? "nobody is enrolled"
    : `${counted(model.faces, "face", "faces")} of ${counted(model.people, "person", "people")}`;
  return model;
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

const views = { try: attempt, people, explore };

async function route() {
  const wanted = location.hash.slice(1);
  const view = Object.hasOwn(views, wanted) ? wanted : "try";
  for (const name of Object.keys(views)) {
    element(name).hidden = name !== view;
    const link = document.querySelector(`[data-view=${name}]`);
    if (name === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (name !== view) views[name].leave?.();
  }
  document.title = `${document.querySelector(`[data-view=${view}]`).textContent} - eigenfaces`;
  say("");
  await trying(async () => {
    await summarize();
    await views[view].show();
  });
}

addEventListener("hashchange", route);
await route();
document.documentElement.dataset.ready = "yes";
