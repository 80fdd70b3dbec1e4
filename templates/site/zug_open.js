/* Unpacks the script of a touch board. A browser that cannot, being older than 2023, shows what there is without. */
if (window.DecompressionStream) {
  document.getElementById("still").hidden = true;
  const packed = Uint8Array.from(atob(document.getElementById("packed").textContent), (sign) => sign.charCodeAt(0));
  new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text().then((textContent) => {
    document.head.append(Object.assign(document.createElement("script"), { type: "module", textContent }));
  });
}
