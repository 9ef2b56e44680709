// Chart.js in the page's colours (on the screen, in the dark, on paper), and in the room of its box.
(function () {
  "use strict";
  if (typeof Chart === "undefined") return;
  var root = document.documentElement, style = getComputedStyle(root);
  var isOurs = root.hasAttribute("data-qhub"); // in other documents a --line may be anything
  var dark = new WeakMap(); // by canvas: whether it stands on something dark
  // What page.css says, for documents that don't have it.
  var LIGHT = {
    quiet: "#5B6470", line: "#E2E5EA", card: "#FFFFFF",
    series: "#0072B2 #E69F00 #009E73 #D55E00 #56B4E9 #CC79A7 #F0E442 #6B7280".split(" "),
  };
  var DARK = {
    quiet: "#A3ABB7", line: "#FFFFFF26", card: "#1B1D21",
    series: "#4C9FD0 #F0BC52 #3FC29B #EE8A4A #86CBF0 #DDA0C4 #F5EC7A #9BA3AF".split(" "),
  };

  function isOnDark(canvas) {
    for (var box = canvas; box; box = box.parentElement) {
      var parts = getComputedStyle(box).backgroundColor.match(/[\d.]+/g);
      if (!parts || parts[3] === "0") continue;
      return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 110;
    }
    return false;
  }

  // The page's own colours fit a chart only on a ground like the page's.
  function given(name, canvas) {
    var fits = isOurs && dark.get(canvas) === isOnDark(root);
    return fits ? style.getPropertyValue("--" + name).trim() : "";
  }

  function colour(name, canvas) {
    return given(name, canvas) || (dark.get(canvas) ? DARK : LIGHT)[name];
  }

  function series(canvas) {
    return (dark.get(canvas) ? DARK : LIGHT).series.map(function (other, place) {
      return given("series-" + (place + 1), canvas) || other;
    });
  }

  // Functions, for a chart copies what its axes have by default when it is made.
  function ink(context) { return colour("quiet", context.chart.canvas); }
  function line(context) { return colour("line", context.chart.canvas); }

  function dress() {
    var scale = Chart.defaults.scale, radial = Chart.defaults.scales.radialLinear;
    Chart.defaults.color = scale.ticks.color = scale.title.color = ink;
    Chart.defaults.borderColor = scale.grid.color = scale.border.color = line;
    radial.angleLines.color = line;
    radial.pointLabels.color = radial.ticks.color = ink;
    Chart.defaults.font.family = '"Segoe UI", system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
    Chart.defaults.font.size = 13;
  }

  function each(change) {
    Object.values(Chart.instances).forEach(change);
  }

  function again(mode) {
    each(function (chart) {
      dark.set(chart.canvas, isOnDark(chart.canvas));
      fit(chart);
      chart.update(mode);
    });
  }

  function fit(chart) {
    if (chart.options.responsive) chart.resize();
  }

  // A chart without a ratio of its own is as high as its box. A box without a height is as high as
  // what stands in it, the chart included: each would drive the other up without end. So the box is
  // measured with the chart taken out, and where it offers nothing, the chart keeps a proportion.
  var LEAST_PX = 120;
  var asked = new WeakMap(); // by canvas: the ratio and the height that the page gave it
  var probe = new CSSStyleSheet();
  var hasBar = false; // to scroll by, which the page keeps while it is shorter for a moment

  function note(chart) {
    var canvas = chart.canvas, before = canvas.offsetHeight, drawn = canvas.height;
    canvas.height = drawn + 50; // changes nothing where a style gives the canvas its height
    var fixed = canvas.offsetHeight === before ? before : 0;
    canvas.height = drawn;
    asked.set(canvas, { ratio: chart.aspectRatio || 2, fixed: fixed, wanted: 0 });
    canvas.setAttribute("data-qhub-chart", "");
  }

  function proportion(canvas, width) {
    var own = asked.get(canvas), most = Math.max(320, 0.62 * innerHeight);
    own.wanted = own.fixed || Math.floor(Math.min(Math.max(width / own.ratio, LEAST_PX), most));
    return own.wanted;
  }

  function content(box) {
    var style = getComputedStyle(box), edges = box.getBoundingClientRect();
    function inset(side) {
      return parseFloat(style["padding" + side]) + parseFloat(style["border" + side + "Width"]);
    }
    return {
      top: edges.top + inset("Top"), bottom: edges.bottom - inset("Bottom"),
      width: edges.width - inset("Left") - inset("Right"),
    };
  }

  // By how much what stands in a box, one under the other, is too high for it.
  function surplus(box) {
    var inner = content(box), top = inner.top, bottom = inner.bottom;
    for (var child of box.children) {
      var style = getComputedStyle(child), edges = child.getBoundingClientRect();
      if (/absolute|fixed/.test(style.position) || !edges.height) continue;
      top = Math.min(top, edges.top);
      bottom = Math.max(bottom, edges.bottom + (parseFloat(style.marginBottom) || 0));
    }
    return inner.top - top + bottom - inner.bottom;
  }

  // What a box offers the canvas, whether it grows with it, and what the page insists on.
  function room(box, canvas, wanted) {
    function tall(height) {
      probe.replaceSync(
        (hasBar ? ":root { overflow-y: scroll !important; }" : "") +
        ":where(canvas:not([data-qhub-chart])) { height: 1px !important; }" +
        ":where(canvas[data-qhub-chart]) { width: 1px !important; }" +
        ":where(canvas[data-qhub-probe]) { height: " + height + "px !important;" +
        " min-height: 0 !important; max-height: none !important; flex-shrink: 0 !important;" +
        " transition: none !important; }"
      );
      var inner = content(box);
      return inner.bottom - inner.top;
    }
    var empty = tall(1), width = content(box).width;
    var forced = canvas.offsetHeight > 1 ? canvas.offsetHeight : 0;
    var grown = tall(Math.max(1, empty)) - empty + surplus(box);
    var grows = tall(Math.max(wanted, empty) + 100) - empty > 1;
    return { height: Math.floor(empty - grown), width: width, grows: grows, forced: forced };
  }

  // A box that is around the canvas and its growing box, and does not grow itself.
  function limit(box, canvas, wanted) {
    for (var up = 0; box && up < 4; up++, box = box.parentElement) {
      var isRoot = box === document.body || box === document.documentElement;
      if (isRoot && getComputedStyle(box).overflowY !== "hidden") return wanted;
      var around = room(box, canvas, wanted);
      if (!around.grows) return around.height < LEAST_PX ? wanted : Math.min(wanted, around.height);
    }
    return wanted;
  }

  function fitted(canvas, width, keepsRatio) {
    var box = canvas.parentElement, wanted = proportion(canvas, width);
    var found = room(box, canvas, wanted);
    // A column of a grid is as wide as its canvas has been: without it, it may be narrower.
    if (found.width >= LEAST_PX && found.width < width) {
      width = Math.floor(found.width);
      wanted = proportion(canvas, width);
    }
    var tall = found.height;
    if (found.forced) {
      tall = found.forced;
    } else if (found.grows) {
      wanted = limit(box.parentElement, canvas, wanted);
      tall = keepsRatio ? wanted : Math.max(wanted, tall);
    } else if (tall < 1 || (keepsRatio && wanted < tall)) {
      tall = wanted;
    }
    return { width: width, height: tall };
  }

  // Other charts stand at their own proportions meanwhile: neighbours in a row hold each other up.
  function measured(canvas, width, keepsRatio) {
    var top = scrollY;
    var others = Object.values(Chart.instances).map(function (each) { return each.canvas; })
      .filter(function (each) { return each && each !== canvas && asked.has(each); })
      .map(function (each) { return [each, each.style.height]; });
    others.forEach(function (each) { each[0].style.height = asked.get(each[0]).wanted + "px"; });
    canvas.setAttribute("data-qhub-probe", "");
    hasBar = innerWidth > root.clientWidth;
    document.adoptedStyleSheets.push(probe);
    var result = fitted(canvas, width, keepsRatio);
    document.adoptedStyleSheets.pop();
    canvas.removeAttribute("data-qhub-probe");
    others.forEach(function (each) { each[0].style.height = each[1]; });
    var style = getComputedStyle(canvas), most = parseFloat(style.maxHeight);
    result.height = Math.floor(Math.max(result.height, parseFloat(style.minHeight) || 0));
    if (style.maxHeight.endsWith("px")) result.height = Math.min(result.height, most);
    if (scrollY !== top) scrollTo(scrollX, top); // the page was shorter for a moment
    return result;
  }

  var platform = Chart.platforms.DomPlatform.prototype, ownSize = platform.getMaximumSize;
  platform.getMaximumSize = function (canvas, width, tall, ratio) {
    var size = ownSize.call(this, canvas, width, tall, ratio);
    var isIn = asked.has(canvas) && canvas.parentElement && canvas.getClientRects().length > 0;
    if (!isIn || !size.width || /absolute|fixed/.test(getComputedStyle(canvas).position)) return size;
    width = ownSize.call(this, canvas, width, tall, 0).width;
    return measured(canvas, width, Boolean(ratio));
  };

  // Plugins that are not here: what pages register of them does nothing, and the chart is drawn.
  var missing = {
    ChartDataLabels: "datalabels", ChartZoom: "zoom", "chartjs-plugin-annotation": "annotation",
  };
  Object.keys(missing).forEach(function (name) {
    if (!window[name]) window[name] = { id: missing[name] };
  });

  dress();
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.animation = false;
  // Whoever gave no colours gets the series of the program, in both appearances.
  Chart.register({
    id: "series",
    beforeInit: function (chart) {
      dark.set(chart.canvas, isOnDark(chart.canvas));
      note(chart);
    },
    beforeLayout: function (chart) {
      var all = series(chart.canvas), kind = chart.config.type;
      var slices = kind === "pie" || kind === "doughnut" || kind === "polarArea";
      chart.data.datasets.forEach(function (set, place) {
        var before = set.$given;
        if (before === undefined) {
          before = set.$given = Boolean(set.backgroundColor || set.borderColor);
        }
        if (before) return;
        if (slices) {
          set.backgroundColor = (set.data || []).map(function (_, i) { return all[i % 8]; });
          set.borderColor = colour("card", chart.canvas);
        } else {
          set.borderColor = all[place % 8];
          set.backgroundColor = all[place % 8] + (set.fill ? "33" : "");
        }
      });
    },
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { again("none"); });
  document.addEventListener("qhub-appearance", function () { again("none"); });
  // A box as wide as its canvas does not become narrower by itself.
  addEventListener("resize", function () { each(fit); });
  document.addEventListener("qhub-extent", function () { again("none"); });
  addEventListener("beforeprint", function () { again("none"); });
  addEventListener("afterprint", function () { again("none"); });
})();
