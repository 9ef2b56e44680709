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
  // A padding too wide is no reason for a scroll bar.
  var over = root.scrollWidth - root.clientWidth;
  if (over > 0 && over <= SLIGHT) rule(":root { overflow-x: hidden !important; }");

  var mark = [root.offsetHeight, root.scrollHeight, body.scrollHeight, over, innerWidth].join();
  if (mark === extentMark) return extentSaid;
  var edges = body.getBoundingClientRect();
  var height = Math.max(
    root.getBoundingClientRect().height,
    edges.top + scrollY + Math.max(edges.height, body.scrollHeight) +
      parseFloat(getComputedStyle(body).marginBottom),
    root.scrollHeight > innerHeight ? root.scrollHeight : 0
  );
  // What is placed elsewhere is in nobody's height.
  var all = body.getElementsByTagName("*");
  for (var i = 0, count = Math.min(all.length, MOST_ELEMENTS); i < count; i++) {
    var box = all[i].getBoundingClientRect();
    if (box.bottom + scrollY <= height || !box.width || !box.height) continue;
    var style = getComputedStyle(all[i]);
    if (style.visibility === "hidden" || !/absolute|fixed/.test(style.position)) continue;
    var covers = style.position === "fixed" && box.height >= innerHeight;
    if (!covers || height < screen / 4) height = box.bottom + scrollY;
  }
  extentMark = mark;
  extentSaid = JSON.stringify([Math.ceil(height), root.scrollWidth, root.clientWidth]);
  return extentSaid;
}
