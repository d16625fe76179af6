// The camera: a few frames a second, one at a time. A name is said when several frames agree.

import { Refused, send } from "./api.js";
import { element, say } from "./ui.js";
import { inWords } from "./words.js";

const PAUSE = 350; // ms between frames
const AGREE = 3; // frames in a row

let stream = null;

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

export async function start() {
  if (stream) return;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: 640 } });
  } catch (error) {
    const isDenied = error.name === "NotAllowedError";
    say(isDenied ? "The browser does not let this page use the camera." : "There is no camera that could be used.", true);
    return;
  }
  const video = element("video");
  video.srcObject = stream;
  element("camera-panel").hidden = false;
  element("camera").disabled = true;
  await video.play();
  element("camera-stop").focus();
  await watch(video, stream);
}

export function stop() {
  if (!stream) return;
  stream.getTracks().forEach((track) => track.stop());
  stream = null;
  element("video").srcObject = null;
  element("camera-panel").hidden = true;
  element("camera").disabled = false;
}

async function watch(video, mine) {
  const canvas = document.createElement("canvas");
  const says = element("camera-says");
  let [last, times] = ["", 0];
  while (stream === mine) {
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    canvas.getContext("2d").drawImage(video, 0, 0);
    const frame = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
    let text;
    try {
      const { faces } = await send("/identify", frame);
      text = faces.length === 0 ? "nobody to be seen" : faces.map(inWords).join("; ");
      const names = faces.map((face) => face.person ?? "").join("|");
      times = names === last ? times + 1 : 1;
      last = names;
      if (names.replaceAll("|", "") && times < AGREE) text = "looking ...";
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      text = error.message;
    }
    if (stream !== mine) return;
    if (says.textContent !== text) says.textContent = text;
    await pause(PAUSE);
  }
}
