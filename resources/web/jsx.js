// Runs the page's JSX: what it imports is already here, what it exports by default is shown.
(function () {
  "use strict";
  var modules = {
    "react": typeof React === "undefined" ? undefined : React,
    "react-dom": typeof ReactDOM === "undefined" ? undefined : ReactDOM,
    "react-dom/client": typeof ReactDOM === "undefined" ? undefined : ReactDOM,
    "chart.js": typeof Chart === "undefined" ? undefined : Object.assign({}, Chart, { Chart: Chart, default: Chart }),
    "chart.js/auto": typeof Chart === "undefined" ? undefined : { __esModule: true, default: Chart, Chart: Chart },
  };

  function say(problem) {
    var box = document.createElement("pre");
    box.textContent = String(problem && problem.message || problem);
    document.body.appendChild(box);
  }

  function run(source) {
    var code = Sucrase.transform(source, {
      transforms: ["jsx", "typescript", "imports"], jsxRuntime: "classic", production: true,
    }).code;
    var script = document.createElement("script");
    // An own element, so that the page needs no permission to evaluate text.
    script.textContent =
      "(function (require, module, exports) {\n" +
      "const {useState, useEffect, useRef, useMemo, useCallback, useReducer, useContext} = React;\n" +
      "(function () {\n" + code + "\n" +
      "if (!exports.default && typeof App !== 'undefined') exports.default = App;\n" +
      "})();\n})(qhubRequire, qhubModule, qhubModule.exports);";
    window.qhubModule = { exports: {} };
    window.qhubRequire = function (name) {
      if (modules[name] === undefined) throw new Error("There is no module " + name + " here.");
      return modules[name];
    };
    document.body.appendChild(script);
    var shown = window.qhubModule.exports.default;
    if (typeof shown === "function") {
      var root = document.getElementById("root") || document.body.appendChild(document.createElement("div"));
      ReactDOM.createRoot(root).render(React.createElement(shown));
    }
  }

  addEventListener("error", function (event) { say(event.error || event.message); });
  document.querySelectorAll('script[type="text/jsx"], script[type="text/babel"]').forEach(function (script) {
    try { run(script.textContent); } catch (problem) { say(problem); }
  });
})();
