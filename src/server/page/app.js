// Which view is shown.

import "./chooser.js";
import * as people from "./people.js";
import * as review from "./review.js";
import * as explore from "./explore.js";
import * as attempt from "./try.js";
import { element, onStale, say, summarize, trying } from "./ui.js";

const views = { start: { async show() {} }, try: attempt, people, review, explore };

async function route() {
  const wanted = location.hash.slice(1);
  const view = Object.hasOwn(views, wanted) ? wanted : "start";
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
  document.documentElement.dataset.ready = view;
}

onStale(async () => {
  for (const [name, view] of Object.entries(views)) if (!element(name).hidden) await view.stale?.();
});

addEventListener("hashchange", route);
await route();
