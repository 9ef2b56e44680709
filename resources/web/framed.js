// The frame of an exported file: receives its page, and becomes it.
(function () {
  "use strict";
  // Kept from the page, which may change what has these names.
  var call = Reflect.apply, string = String;
  var replace = RegExp.prototype[Symbol.replace], test = RegExp.prototype.test;
  function own(pattern) {
    Object.defineProperties(pattern, { exec: { value: pattern.exec }, flags: { value: pattern.flags } });
    return pattern;
  }

  // A hint of a link and a refresh have a host looked up, and a frame would have again what was
  // deleted here: no policy closes that, and under ours none of them shows anything. They become
  // elements and attributes that do nothing.
  var tag = own(/<(\/?)((?:[^\s\/<>]*:)?(?:link|i?frame)|!entity)(?=[\s\/>])/gi);
  var order = own(/http-equiv/gi);
  var cutTag = own(/<(?=\/?[a-z]{0,6}$)/i); // goes on in what is written next
  var named = own(/^(?:[^:]*:)?(?:link|i?frame)$/i);
  var prefix = own(/:/g);
  function renamed(name) {
    return name === "link" ? "meta" : "x-" + call(replace, prefix, [name, "-"]);
  }
  function tame(text) {
    text = call(replace, tag, [string(text), function (_, end, name) {
      return "<" + end + renamed(name);
    }]);
    return call(replace, cutTag, [call(replace, order, [text, "data-order"]), "&lt;"]);
  }
  function guard(home, method, at) {
    var make = home[method];
    home[method] = function (...given) {
      if (given[at] != null) given[at] = string(given[at]);
      if (call(test, named, [given[at]])) given[at] = renamed(given[at]);
      return call(make, this, given);
    };
  }
  guard(Document.prototype, "createElement", 0);
  guard(Document.prototype, "createElementNS", 1);
  guard(DOMImplementation.prototype, "createDocument", 1);
  var define = CustomElementRegistry.prototype.define;
  CustomElementRegistry.prototype.define = function (name, made) { // none that extends another
    return call(define, this, [name, made]);
  };
  delete window.XSLTProcessor;
  if (window.trustedTypes) { // all markup of scripts
    trustedTypes.createPolicy("default", {
      createHTML: tame, createScript: string, createScriptURL: string,
    });
  }

  addEventListener("message", function (event) {
    if (event.source !== parent) return;
    var bridge = document.createElement("script");
    bridge.textContent = event.data.bridge;
    document.head.append(bridge);
    document.open(); // takes away all listeners
    ["pointerover", "pointerdown", "click", "auxclick"].forEach(function (kind) {
      addEventListener(kind, stay, true);
    });
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

  // A link elsewhere would leave the browser's notice in the place of the page, and is connected to
  // as soon as it is pressed. It shows its address instead.
  var dead = new WeakSet();
  function stay(event) {
    var link = event.composedPath().find(function (each) {
      return /^(?:a|area)$/.test(each.localName) && each.href;
    });
    if (!link) return;
    if (!dead.has(link)) {
      var address = link.href.baseVal === undefined ? link.href : link.href.baseVal;
      if (/^(?:about:srcdoc)?#|^javascript:/i.test(address)) return;
      dead.add(link);
      link.title = link.title || address;
      link.removeAttribute("xlink:href");
      link.setAttribute("href", "#");
    }
    if (/click/.test(event.type)) event.preventDefault();
  }

  // Printed with the file around it, the page would be cut at the foot of each sheet.
  function printAlone(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (event.key.toLowerCase() !== "p") return;
    event.preventDefault();
    print();
  }
})();
