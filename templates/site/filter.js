/* Shows the matches in whose lines all words stand that are typed. Without this script the list is whole. */
(function () {
  "use strict";
  var box = document.querySelector(".filter");
  if (!box) return;
  var all = function (what, where) { return Array.prototype.slice.call((where || document).querySelectorAll(what)); };
  var field = box.querySelector("input"), says = box.querySelector("[role=status]");
  /* Capitals, accents and umlauts make no difference. */
  function plain(text) { return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase(); }
  var lines = all(".matches > li").map(function (line) { return { node: line, text: plain(line.textContent) }; });
  var sections = all("main section");

  function show() {
    var words = plain(field.value).split(/\s+/).filter(Boolean), count = 0;
    lines.forEach(function (line) {
      var found = words.every(function (word) { return line.text.indexOf(word) >= 0; });
      line.node.classList.toggle("gone", !found);
      if (found) count += 1;
    });
    sections.forEach(function (section) { section.hidden = !section.querySelector("li:not(.gone)"); });
    says.textContent = words.length ? says.dataset.found.replace("{count}", count).replace("{all}", lines.length) : "";
  }

  field.addEventListener("input", show);
  box.hidden = false;
  if (field.value) show(); // the browser has kept it
})();
