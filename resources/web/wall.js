// Turns the cards that do not fit a wall's screen in pages; each is there as long as the others.
(function () {
  "use strict";
  // The least height of a card: of a generated chart, of a pinned one, and of a pinned study.
  var LEAST_PX = 150, PINNED_PX = 210, STUDY_PX = 400;
  var COLUMNS = 12; // of pinned cards
  var seconds = Number(document.currentScript.dataset.seconds);
  var homes = ".dashboard-row > *, .qhub-cards > *, .dashboard-grid:has(> .chart-container) > *";
  var cards = Array.from(document.querySelectorAll(homes)), pages = [], at = 0, turning = 0;
  var spans = new Map(cards.map(function (card) {
    return [card, Number((/\d+/.exec(card.style.gridColumn) || [1])[0])];
  }));

  function show(shown) {
    cards.forEach(function (card) { card.toggleAttribute("data-away", !shown.includes(card)); });
    widen(shown.filter(function (card) { return card.matches(".qhub-cards > *"); }));
  }
  // The last card of each row takes what is left of it: no hole is seen on a wall.
  function widen(shown) {
    var room = COLUMNS, last = null;
    function fill() { if (last) last.style.gridColumn = "span " + (spans.get(last) + room); }
    shown.forEach(function (card) {
      var span = spans.get(card);
      card.style.gridColumn = "span " + span;
      if (span > room) { fill(); room = COLUMNS; }
      room -= span;
      last = card;
    });
    fill();
  }
  function leastOf(card) {
    if (!card.matches(".qhub-card")) return LEAST_PX;
    return card.querySelector(".qhub-verdict") ? STUDY_PX : PINNED_PX;
  }
  function isTight(shown) {
    show(shown);
    return document.body.scrollHeight > innerHeight + 1 || shown.some(function (card) {
      return card.matches(".chart-container") && card.offsetHeight < leastOf(card);
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
