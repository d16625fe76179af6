// What the server says of a face, as a person would say it.

export const percent = (share) => {
  const rounded = Math.round(share * 100);
  if (rounded >= 100 && share < 1) return "> 99 %";
  if (rounded <= 0 && share > 0) return "< 1 %";
  return `${rounded} %`;
};

export function inWords(face) {
  const closest = face.candidates[0];
  if (face.decision === "not-a-face") return "not a face";
  if (!closest) return "unknown";
  const sure = percent(closest.confidence);
  if (face.decision === "known") return `${closest.person} (${sure})`;
  if (face.probable) return `probably ${closest.person} (${sure})`;
  return `unknown (closest: ${closest.person}, ${sure})`;
}
