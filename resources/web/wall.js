// Turns the cards that do not fit a wall's screen in pages; each is there as long as the others.
(function () {
  "use strict";
  var LEAST_PX = 150; // of a card's height
  var seconds = Number(document.currentScript.dataset.seconds);
  var homes = ".dashboard-row > *, .qhub-cards > *, .dashboard-grid:has(> .chart-container) > *";
  var cards = Array.from(document.querySelectorAll(homes)), pages = [], at = 0, turning = 0;

  function show(shown) {
    cards.forEach(function (card) { card.toggleAttribute("data-away", !shown.includes(card)); });
  }
  function isTight(shown) {
    show(shown);
    return document.body.scrollHeight > innerHeight + 1 || shown.some(function (card) {
      return card.matches(".chart-container") && card.offsetHeight < LEAST_PX;
    });
  }
  function turn() {
    show(pages[at % pages.length]);
    at += 1;
    document.dispatchEvent(new Event("qhub-extent")); // charts are as high as their boxes now
  }
  function lay() {
    pages = [];
    cards.forEach(function (card) {
      var last = pages[pages.length - 1];
      if (last && !isTight(last.concat(card))) last.push(card); else pages.push([card]);
    });
    at = 0;
    clearInterval(turning);
    turn();
    if (pages.length > 1) turning = setInterval(turn, 1000 * Math.max(5, seconds / pages.length));
  }
  // A page with a layout of its own is made smaller until it is all there.
  function shrink() {
    var body = document.body;
    body.style.display = "block";
    body.style.zoom = 1;
    body.style.height = "auto";
    body.style.zoom = Math.min(1, innerHeight / Math.max(1, body.scrollHeight));
  }
  var fit = cards.length ? lay : shrink;
  addEventListener("resize", fit);
  addEventListener("load", fit);
  fit();
})();
