// grammY's HTTP client brings its own URLs along for very old versions of Node, and never uses them on later ones.
const { URL, URLSearchParams } = globalThis;

export { URL, URLSearchParams };
