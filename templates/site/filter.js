/* Shows the matches of the game that is chosen in whose cards all words stand that are typed. Without this script the
   list is whole. */
(function () {
  "use strict";
  var box = document.querySelector(".filter");
  if (!box) return;
  var all = function (what, where) { return Array.prototype.slice.call((where || document).querySelectorAll(what)); };
  var field = box.querySelector("input"), game = box.querySelector("select"), says = box.querySelector("[role=status]");
  /* Capitals, accents and umlauts make no difference. */
  function plain(text) { return text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase(); }
  var cards = all("li.card").map(function (card) { return { node: card, text: plain(card.textContent) }; });
  var sections = all("main section");

  function show() {
    var words = plain(field.value).split(/\s+/).filter(Boolean), wanted = game ? game.value : "", count = 0;
    cards.forEach(function (card) {
      var found = (!wanted || card.node.dataset.game === wanted) &&
        words.every(function (word) { return card.text.indexOf(word) >= 0; });
      card.node.classList.toggle("gone", !found);
      if (found) count += 1;
    });
    sections.forEach(function (section) { section.hidden = !section.querySelector("li:not(.gone)"); });
    says.textContent = words.length || wanted
      ? says.dataset.found.replace("{count}", count).replace("{all}", cards.length) : "";
  }

  [field, game].forEach(function (one) { if (one) one.addEventListener("input", show); });
  box.hidden = false;
  show(); // the browser may have kept what was typed
})();
