// The API key: it lives in this tab's session storage, and leaves the address as soon as it is read from there.

const KEY = "firstline.key";

export const storedKey = () => sessionStorage.getItem(KEY);
export const keepKey = (key) => sessionStorage.setItem(KEY, key);
export const forgetKey = () => sessionStorage.removeItem(KEY);

/** Take the key of a `#key=` link out of the address. True when it is another one than before. */
export function takeKeyFromAddress() {
  const found = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!found) return false;
  // A key in the address would stay in the history and in what people copy.
  history.replaceState(null, "", location.pathname + location.search);
  const changed = found !== storedKey();
  keepKey(found);
  return changed;
}
