// Chart.js in the page's colours: on the screen, in the dark, and on paper.
(function () {
  "use strict";
  if (typeof Chart === "undefined") return;
  var style = getComputedStyle(document.documentElement);

  function colour(name, other) {
    return style.getPropertyValue("--" + name).trim() || other;
  }

  function dress() {
    Chart.defaults.color = colour("quiet", "#5B6470");
    Chart.defaults.borderColor = colour("line", "#E2E5EA");
    Chart.defaults.font.family = '"Segoe UI", system-ui, "Noto Sans", "DejaVu Sans", sans-serif';
    Chart.defaults.font.size = 13;
  }

  function series() {
    return [1, 2, 3, 4, 5, 6, 7, 8].map(function (place) {
      return colour("series-" + place, "#0072B2");
    });
  }

  function each(change) {
    Object.values(Chart.instances).forEach(change);
  }

  function again(mode) {
    dress();
    each(function (chart) { chart.resize(); chart.update(mode); });
  }

  dress();
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.animation = false;
  // Whoever gave no colours gets the series of the program, in both appearances.
  Chart.register({
    id: "series",
    beforeLayout: function (chart) {
      var all = series(), kind = chart.config.type;
      var slices = kind === "pie" || kind === "doughnut" || kind === "polarArea";
      chart.data.datasets.forEach(function (set, place) {
        var before = set.$given;
        if (before === undefined) {
          before = set.$given = Boolean(set.backgroundColor || set.borderColor);
        }
        if (before) return;
        if (slices) {
          set.backgroundColor = (set.data || []).map(function (_, i) { return all[i % 8]; });
          set.borderColor = colour("card", "#FFFFFF");
        } else {
          set.borderColor = all[place % 8];
          set.backgroundColor = all[place % 8] + (set.fill ? "33" : "");
        }
      });
    },
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function () { again("none"); });
  document.addEventListener("qhub-appearance", function () { again("none"); });
  addEventListener("beforeprint", function () { again("none"); });
  addEventListener("afterprint", function () { again("none"); });
})();
