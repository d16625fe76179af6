// Asks the server, and keeps in mind which state of the gallery the page shows.

let tag = null;

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(method, path, { body, headers = {} } = {}) {
  let response;
  try {
    response = await fetch(`api/v0${path}`, { method, body, headers });
  } catch {
    throw new Refused(0, "The server does not answer: was it ended?");
  }
  if (!response.ok) {
    const told = await response.json().catch(() => ({}));
    throw new Refused(response.status, told.message ?? `The server refused (${response.status}).`);
  }
  return response;
}

// The state of the gallery that the page shows.
export const state = () => tag;

const remember = (response) => { tag = response.headers.get("etag") ?? tag; };

export async function get(path) {
  const response = await call("GET", path);
  remember(response);
  return response.json();
}

// An answer with the state of the gallery that it tells of, which need not be the one that the page shows.
export async function withState(path) {
  const response = await call("GET", path);
  return [await response.json(), response.headers.get("etag")];
}

export async function numbers(path) {
  return new Float32Array(await (await call("GET", path)).arrayBuffer());
}

export async function send(path, photo) {
  const response = await call("POST", path, { body: photo });
  remember(response);
  return response.json();
}

// Asks something that needs more than an address.
export async function ask(path, content) {
  const body = JSON.stringify(content);
  return (await call("POST", path, { body, headers: { "content-type": "application/json" } })).json();
}

export async function picture(path, photo) {
  return createImageBitmap(await (await call("POST", path, { body: photo })).blob());
}

// A change is meant for the state of the gallery that the page shows, or for another one that is named: any other refuses it (412).
export async function change(method, path, content, meant = tag) {
  const headers = meant ? { "if-match": meant } : {};
  const isPhoto = content instanceof Blob;
  if (content !== undefined && !isPhoto) headers["content-type"] = "application/json";
  const body = content === undefined || isPhoto ? content : JSON.stringify(content);
  const response = await call(method, path, { body, headers });
  remember(response);
  return response.json();
}

export const part = encodeURIComponent;
