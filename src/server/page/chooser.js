// Chooses a folder of this machine: by names of folders, from the user's own and the drives down.

import { get, part } from "./api.js";
import { button, element, make, trying } from "./ui.js";

let field = null; // where the path goes
let here = null; // the folder that is shown

async function look(path) {
  const found = await get(path === null ? "/folders" : `/folders?path=${part(path)}`);
  here = found.path;
  element("chooser-path").textContent = here ?? "This computer";
  element("chooser-use").disabled = here === null;
  const up = here === null ? [] : [make("li", {}, button("↑ Up", "↑ Up to the folder above", () => look(found.above)))];
  const folders = found.folders.map(({ name, path: below }) => make("li", {}, button(name, `Open ${name}`, () => look(below))));
  element("chooser-list").replaceChildren(...up, ...folders);
  element("chooser-says").textContent = found.folders.length ? "" : "No folders in here.";
  element("chooser-list").scrollTop = 0;
  (element("chooser-list").querySelector("button") ?? element("chooser-use")).focus();
}

// The end of a long path says which folder it is.
const showEnd = (input) => requestAnimationFrame(() => { input.scrollLeft = input.scrollWidth; });

for (const chooser of document.querySelectorAll("button.choose-folder")) {
  const input = chooser.parentElement.querySelector("input");
  input.addEventListener("blur", () => showEnd(input));
  chooser.addEventListener("click", () => trying(async () => {
    field = input;
    // Where one was last, or what the field has; where that is not told of, from the top.
    await look(field.value.trim() || here).catch(() => look(null));
    element("chooser").showModal();
  }));
}

element("chooser").addEventListener("close", () => {
  const isChosen = element("chooser").returnValue === "use" && here !== null;
  element("chooser").returnValue = "";
  field.focus();
  if (!isChosen) return;
  field.value = here;
  // To look for faces changes nothing, so there is nothing to press besides.
  if (field.form.id === "folder") field.form.requestSubmit();
});
