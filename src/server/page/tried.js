// The photo that was tried last: Explore shows where it falls.

export const tried = { photo: null };
