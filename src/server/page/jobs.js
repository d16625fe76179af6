// Long work: begun, watched, and cancelled.

import { change, get } from "./api.js";
import { element, trying } from "./ui.js";

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

// Begins a job, shows how far it is, and returns what came of it.
export async function work(content, doing) {
  let job = await change("POST", "/jobs", content);
  const { id } = job;
  const bar = element("progress");
  element("job").hidden = false;
  element("cancel").onclick = () => trying(() => change("DELETE", `/jobs/${id}`));
  try {
    while (job.state === "working") {
      element("job-says").textContent = job.of ? `${doing}: ${job.done} of ${job.of}` : doing;
      if (job.of) [bar.max, bar.value] = [job.of, job.done];
      else bar.removeAttribute("value");
      await pause(250);
      job = await get(`/jobs/${id}`);
    }
  } finally {
    element("job").hidden = true;
  }
  // Faces were erased meanwhile, whom the result may name.
  const isForgotten = job.state === "done" && job.result === null;
  return isForgotten ? { ...job, state: "failed", error: "faces were erased meanwhile: begin it again" } : job;
}
