// How much room the content of a page takes, whatever the height of its view: for a card as high as
// its page. Runs in the isolated world, which the page cannot see.
var extentStyle = new CSSStyleSheet(), extentRules = "", extentMark = "", extentSaid = "";

function extent(screen) {
  var SLIGHT = 24, MOST_ELEMENTS = 3000;
  var root = document.documentElement, body = document.body;
  if (!root || !body) return "";

  function rule(words) {
    if (extentRules.includes(words)) return false;
    if (!extentRules) document.adoptedStyleSheets.push(extentStyle);
    extentStyle.replaceSync(extentRules += words);
    return true;
  }

  // As high as its view: such a page has no height of its own, so it gets that of the screen.
  if (Math.abs(root.getBoundingClientRect().height - innerHeight) < 1) {
    if (rule(":root { height: " + screen + "px !important; min-height: 0 !important; }")) {
      document.dispatchEvent(new Event("qhub-extent")); // its charts fill what was there before
    }
  }
  // A padding beside a whole width is what most often makes a page too wide; what remains may be
  // a padding too wide, which is no reason for a scroll bar.
  var over = root.scrollWidth - root.clientWidth;
  if (over > 0 && rule(":where(*, *::before, *::after) { box-sizing: border-box; }")) {
    over = root.scrollWidth - root.clientWidth;
  }
  if (over > 0 && over <= SLIGHT) {
    rule(":root { overflow-x: hidden !important; }");
    over = 0;
  }

  var mark = [root.offsetHeight, root.scrollHeight, body.scrollHeight, over, innerWidth, innerHeight].join();
  if (mark === extentMark) return extentSaid;
  var edges = body.getBoundingClientRect();
  var height = Math.max(
    root.getBoundingClientRect().height,
    edges.top + scrollY + Math.max(edges.height, body.scrollHeight) +
      (parseFloat(getComputedStyle(body).marginBottom) || 0),
    root.scrollHeight > innerHeight ? root.scrollHeight : 0
  );
  // What is placed elsewhere is in nobody's height; what is pinned to the foot or to all of the view
  // moves with it.
  var pinned = false, all = body.getElementsByTagName("*");
  for (var i = 0, count = Math.min(all.length, MOST_ELEMENTS); i < count; i++) {
    var box = all[i].getBoundingClientRect();
    if (box.bottom + scrollY <= height || !box.width || !box.height) continue;
    var style = getComputedStyle(all[i]);
    if (style.visibility === "hidden") continue;
    if (style.position === "fixed") pinned = true;
    else if (style.position === "absolute" && !inFixed(all[i])) height = box.bottom + scrollY;
  }
  if (pinned) height = Math.max(height, screen);
  extentMark = mark;
  extentSaid = JSON.stringify([Math.ceil(height), root.clientWidth + over, root.clientWidth, pinned]);
  return extentSaid;

  function inFixed(element) {
    for (var each = element; each && each !== body; each = each.parentElement) {
      if (getComputedStyle(each).position === "fixed") return true;
    }
    return false;
  }
}
