/* Keeps each touch board that was opened once (docs/build/touch-board.md), so that it opens without a network, too.
   Kept is its plain address: behind the # stands a position with the token of a seat, and that is kept by nobody. */

const KEPT = "zug";
const plain = (address) => address.replace(/[#?].*/s, "");

/* The pages that were open before there was anybody to keep them. */
async function keepOpen() {
  const cache = await caches.open(KEPT), open = await clients.matchAll({ includeUncontrolled: true });
  const own = open.map(({ url }) => plain(url)).filter((page) => page.startsWith(registration.scope));
  await Promise.all([...new Set(own)].map((page) => cache.add(page)));
}

/* A page as it is now; without a network, as it was when it was opened last. A cache that is full takes nothing away. */
async function newest(event) {
  const page = plain(event.request.url);
  try {
    const found = await fetch(event.request), copy = found.clone();
    if (found.ok) event.waitUntil(caches.open(KEPT).then((cache) => cache.put(page, copy)).catch(() => {}));
    return found;
  } catch (error) {
    const kept = await caches.match(page).catch(() => undefined);
    if (!kept) throw error;
    return kept;
  }
}

addEventListener("install", (event) => event.waitUntil(keepOpen()));
addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(newest(event));
});
