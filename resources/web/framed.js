// The frame of an exported file: receives its page, and becomes it.
(function () {
  "use strict";
  // A hint of a link has a host looked up, and a frame would have again what was deleted here: no
  // policy closes either, and under ours neither shows anything. They become elements that do nothing.
  var idle = /^(?:link|i?frame)$/i;
  function renamed(name) { return name === "link" ? "meta" : "x-" + name; }
  function tame(text) {
    return String(text)
      .replace(/<(\/?)(link|i?frame)(?=[\s\/>])/gi, function (_, end, name) {
        return "<" + end + renamed(name);
      })
      .replace(/<(?=\/?[a-z]{0,6}$)/i, "&lt;"); // a name that goes on in what is written next
  }
  ["createElement", "createElementNS"].forEach(function (method, at) {
    var make = Document.prototype[method];
    Document.prototype[method] = function () {
      var given = Array.from(arguments);
      if (idle.test(given[at])) given[at] = renamed(String(given[at]));
      return make.apply(this, given);
    };
  });
  if (window.trustedTypes) {
    trustedTypes.createPolicy("default", {
      createHTML: tame, createScript: String, createScriptURL: String,
    });
  }

  addEventListener("message", function (event) {
    if (event.source !== parent) return;
    var bridge = document.createElement("script");
    bridge.textContent = event.data.bridge;
    document.head.append(bridge);
    document.open(); // takes away all listeners
    addEventListener("click", stay, true);
    addEventListener("auxclick", stay, true);
    addEventListener("keydown", printAlone, true);
    document.write(tame(event.data.page));
    document.close();
    // What begins with # is a place in this page, not in the file around it.
    var base = document.createElement("base");
    base.href = "about:srcdoc";
    document.head.prepend(base);
    new ResizeObserver(function () {
      parent.postMessage(document.documentElement.scrollHeight, "*");
    }).observe(document.documentElement);
  });

  // A link elsewhere would leave the browser's notice in the place of the page.
  function stay(event) {
    var link = event.composedPath().find(function (each) { return /^(?:a|area)$/.test(each.localName); });
    if (!link || !link.href) return;
    var address = link.href.baseVal === undefined ? link.href : link.href.baseVal;
    if (!/^(?:about:srcdoc)?#|^javascript:/i.test(address)) event.preventDefault();
  }

  // Printed with the file around it, the page would be cut at the foot of the first sheet.
  function printAlone(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "p") return;
    event.preventDefault();
    print();
  }
})();
