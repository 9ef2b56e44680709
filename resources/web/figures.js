// Draws the program's own figures (marks between axes, as core/figure.py has them) as SVG.
(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";
  var BACKUP = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#6B7280"];
  var ROLES = { centre: "good", limit: "bad", target: "quiet", good: "good", bad: "bad", quiet: "quiet" };
  var OTHERS = { good: "#1E7F4F", bad: "#C0362C", quiet: "#5B6470" };
  var DAY = 86400;
  var STEPS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, DAY, 2 * DAY,
    7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 182 * DAY, 365 * DAY, 1826 * DAY];
  var language = document.documentElement.lang || "pt";

  function real(value) { return typeof value === "number" ? value : NaN; }
  function reals(values) { return (values || []).map(real); }
  function said(value, unit) {
    if (!isFinite(value)) return "";
    var digits = Math.abs(value) >= 1000 ? 1 : 4;
    return new Intl.NumberFormat(language === "pt" ? "pt-PT" : "en-GB",
      { maximumFractionDigits: digits }).format(value) + (unit || "");
  }
  function two(value) { return (value < 10 ? "0" : "") + value; }
  function clock(seconds, step) {
    var at = new Date(seconds * 1000), day = two(at.getUTCDate()) + "/" + two(at.getUTCMonth() + 1);
    if (step >= 28 * DAY) return two(at.getUTCMonth() + 1) + "/" + at.getUTCFullYear();
    if (step >= DAY) return day;
    var time = two(at.getUTCHours()) + ":" + two(at.getUTCMinutes());
    if (step < 60) time += ":" + two(at.getUTCSeconds());
    return time === "00:00" ? day : time;
  }
  function colour(mark) {
    if (mark.role && mark.role !== "series") {
      return "var(--" + ROLES[mark.role] + ", " + OTHERS[ROLES[mark.role]] + ")";
    }
    return series(mark.series || 0);
  }
  function series(place) { return "var(--series-" + (place % 8 + 1) + ", " + BACKUP[place % 8] + ")"; }
  function make(parent, name, attributes, words) {
    var node = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { node.setAttribute(key, attributes[key]); });
    if (words !== undefined) node.textContent = words;
    parent.appendChild(node);
    return node;
  }
  function told(node, words) { if (words) make(node, "title", {}, words); }

  // How far the marks reach along one axis.
  function extent(figure, along, side) {
    var low = Infinity, high = -Infinity;
    function take(values) {
      reals(values).forEach(function (value) {
        if (isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
      });
    }
    figure.marks.forEach(function (mark) {
      if (along === "y" && (mark.side || "left") !== side) return;
      switch (mark.type) {
        case "bars":
          if ((mark.direction === "vertical") === (along === "x")) {
            take(mark.at.map(function (at) { return real(at) - mark.width / 2; }));
            take(mark.at.map(function (at) { return real(at) + mark.width / 2; }));
          } else { take(mark.start); take(mark.end); }
          break;
        case "band":
          if (along === "x") take(mark.x); else { take(mark.lower); take(mark.upper); }
          break;
        case "rule":
          if ((mark.direction === "horizontal") === (along === "y")) take([mark.value]);
          break;
        case "label": take([mark[along]]); break;
        default: if (mark[along]) take(mark[along]);
      }
    });
    return isFinite(low) ? [low, high] : [0, 1];
  }

  function niceStep(span, most) {
    var rough = span / Math.max(1, most), power = Math.pow(10, Math.floor(Math.log10(rough)));
    return [1, 2, 2.5, 5, 10].map(function (each) { return each * power; })
      .find(function (each) { return each >= rough * 0.999; }) || 10 * power;
  }

  function scaleOf(figure, along, axis, from, to, side) {
    var span = extent(figure, along, side), low = span[0], high = span[1], ticks = [];
    var count = Math.max(2, Math.floor(Math.abs(to - from) / (along === "x" ? 90 : 48)));
    if (axis.kind === "category") {
      low = -0.5; high = Math.max(axis.categories.length, 1) - 0.5;
      axis.categories.forEach(function (name, at) { ticks.push([at, name]); });
    } else if (axis.kind === "time") {
      var room = Math.max(high - low, 1), step = STEPS.find(function (each) { return room / each <= count; }) || STEPS[STEPS.length - 1];
      for (var at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push([at, clock(at, step)]);
      if (!ticks.length) ticks.push([low, clock(low, step)]);
    } else {
      // Values along the width reach from the first to the last; bars that lie begin at 0.
      var isMeasured = along === "x" && !figure.marks.some(function (mark) { return mark.direction === "horizontal" && mark.type === "bars"; });
      if (!isMeasured && (low > 0 && low < 0.6 * high || low === high && low > 0)) low = 0;
      if (!isMeasured && high < 0 && high > 0.6 * low) high = 0;
      if (low === high) { low -= 0.5; high += 0.5; }
      var whole = low % 1 === 0 && high % 1 === 0;
      if (isMeasured) { var edge = 0.02 * (high - low); low -= edge; high += edge; }
      if (typeof axis.lower === "number") low = axis.lower;
      if (typeof axis.upper === "number") high = axis.upper;
      var size = niceStep(high - low, count);
      if (along === "x" && size > 1 && size % 1 && whole) size *= 2;
      if (!isMeasured && typeof axis.lower !== "number") low = Math.floor(low / size + 1e-9) * size;
      if (!isMeasured && typeof axis.upper !== "number") high = Math.ceil(high / size - 1e-9) * size;
      for (var place = Math.ceil(low / size - 1e-9); place * size <= high + size * 1e-6; place++) {
        ticks.push([place * size, said(Number((place * size).toPrecision(12)), axis.unit)]);
      }
    }
    if (axis.kind === "time" && low === high) { low -= DAY / 2; high += DAY / 2; }
    // On a lying chart the first category stands on top.
    var isUpsideDown = along === "y" && axis.kind === "category";
    if (isUpsideDown) { var swap = from; from = to; to = swap; }
    return {
      ticks: ticks,
      at: function (value) { return from + (value - low) / (high - low || 1) * (to - from); },
      lowest: low, highest: high,
    };
  }

  function widest(ticks) {
    return ticks.reduce(function (most, tick) { return Math.max(most, String(tick[1]).length); }, 0);
  }
  function textWidth(svg, words) {
    var probe = make(svg, "text", {}, words), px = probe.getComputedTextLength();
    probe.remove();
    return px || String(words).length * 7.6; // nothing is measured where nothing is shown
  }
  function cut(words, most) { return words.length > most ? words.slice(0, most - 1) + "…" : words; }

  function plane(box, figure) {
    var width = Math.max(240, box.clientWidth), height = Math.max(130, box.clientHeight);
    var svg = make(box, "svg", { viewBox: "0 0 " + width + " " + height, role: "img",
      "aria-label": figure.title });
    var probe = scaleOf(figure, "y", figure.y, 0, 200, "left");
    var left = 16 + Math.min(22, widest(probe.ticks)) * 6.8 + (figure.y.label ? 16 : 0);
    var edges = figure.right ? [] : edgeLabels(figure);
    var widestEdge = edges.reduce(function (most, edge) { return Math.max(most, edge.text.length); }, 0);
    var right = figure.right ? width - 16 - widest(scaleOf(figure, "y", figure.right, 0, 200, "right").ticks) * 6.8 : width - 12 - widestEdge * 6.6;
    var isNamed = figure.x.kind === "category";
    var each = (right - left) / Math.max(1, figure.x.categories.length);
    var longest = isNamed ? figure.x.categories.reduce(function (most, name) { return Math.max(most, name.length); }, 0) : 0;
    var isTurned = isNamed && !figure.x.is_in_order && longest * 6.8 > each - 4;
    var bottom = height - 24 - (isTurned ? Math.min(14, longest) * 4.6 : 0) - (figure.x.label ? 16 : 0);
    var x = scaleOf(figure, "x", figure.x, left, right, "left");
    var y = scaleOf(figure, "y", figure.y, bottom, 12, "left");
    var other = figure.right ? scaleOf(figure, "y", figure.right, bottom, 12, "right") : y;
    var line = "var(--line, #E2E5EA)";

    y.ticks.forEach(function (tick) {
      var at = y.at(tick[0]);
      if (figure.y.kind !== "category") make(svg, "line", { x1: left, x2: right, y1: at, y2: at, style: "stroke:" + line });
      make(svg, "text", { x: left - 6, y: at + 4, "text-anchor": "end" }, cut(String(tick[1]), 22));
    });
    if (figure.right) other.ticks.forEach(function (tick) {
      make(svg, "text", { x: right + 6, y: other.at(tick[0]) + 4 }, tick[1]);
    });
    var isRow = isNamed && figure.x.is_in_order;
    var least = isTurned ? 14 : isRow ? longest && textWidth(svg, "0".repeat(longest)) + 12 : 0;
    var skip = Math.max(1, Math.ceil(least / Math.max(each, 1)));
    x.ticks.forEach(function (tick, place) {
      if (place % skip) return;
      var at = x.at(tick[0]);
      if (!isNamed) make(svg, "line", { x1: at, x2: at, y1: 12, y2: bottom, style: "stroke:" + line });
      if (isTurned) {
        make(svg, "text", { "text-anchor": "end", transform: "translate(" + at + " " + (bottom + 14) + ") rotate(-40)" }, cut(String(tick[1]), 14));
      } else {
        var half = textWidth(svg, tick[1]) / 2;
        make(svg, "text", { x: Math.max(half, Math.min(width - half, at)), y: bottom + 17, "text-anchor": "middle" }, tick[1]);
      }
    });
    make(svg, "line", { x1: left, x2: right, y1: bottom, y2: bottom, style: "stroke:var(--quiet, #5B6470)" });
    if (figure.x.label) make(svg, "text", { x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, figure.x.label);
    if (figure.y.label) make(svg, "text", { "text-anchor": "middle", transform: "translate(12 " + (12 + bottom) / 2 + ") rotate(-90)" }, figure.y.label);

    function called(value) {
      if (figure.x.kind === "category") return figure.x.categories[Math.round(value)] || "";
      if (figure.x.kind === "time") return clock(value, DAY);
      return said(value, figure.x.unit);
    }
    paintEdges(svg, edges, y, right);
    figure.marks.forEach(function (mark) {
      var up = mark.side === "right" ? other : y, paint = colour(mark);
      switch (mark.type) {
        case "bars": bars(svg, figure, mark, x, up, paint, called); break;
        case "line": path(svg, mark, x, up, paint, called); break;
        case "points":
          dots(svg, mark, x, up, paint, called);
          pointLabels(svg, figure, mark, x, up, paint);
          break;
        case "band": band(svg, mark, x, up, paint); break;
        case "rule": rule(svg, mark, x, up, paint, left, right, bottom, !figure.right && isInMargin(mark)); break;
        case "label":
          make(svg, "text", mark.anchor === "right"
            ? { x: x.at(real(mark.x)) + 8, y: up.at(real(mark.y)) - 2 }
            : { x: x.at(real(mark.x)), y: up.at(real(mark.y)) - 4, "text-anchor": "middle" }, mark.text);
      }
    });
  }

  // Names and values of limits in the right margin, moved apart where two would overlap.
  function isInMargin(mark) {
    return mark.direction === "horizontal" && (mark.side || "left") === "left" &&
      (mark.role === "centre" || mark.role === "limit");
  }
  function edgeLabels(figure) {
    var found = [];
    figure.marks.forEach(function (mark) {
      if (mark.type === "rule" && mark.label && isInMargin(mark)) found.push({ y: real(mark.value), text: mark.label, paint: colour(mark) });
      if (mark.type !== "line" || !mark.label) return;
      var known = reals(mark.y).filter(isFinite);
      if (known.length) found.push({ y: known[known.length - 1], text: mark.label, paint: colour(mark) });
    });
    return found.sort(function (a, b) { return b.y - a.y; });
  }
  function paintEdges(svg, edges, y, right) {
    var last = -Infinity;
    edges.forEach(function (edge) {
      last = Math.max(last + 13, y.at(edge.y) + 4);
      make(svg, "text", { x: right + 4, y: last, style: "fill:" + edge.paint }, edge.text);
    });
  }
  function pointLabels(svg, figure, mark, x, y, paint) {
    var line = figure.marks.find(function (each) { return each.role === "centre"; });
    var known = line ? (line.type === "rule" ? [real(line.value)] : reals(line.y).filter(isFinite)) : [];
    var middle = known.length ? known[0] : -Infinity;
    if ((mark.labels || []).length > 120) return;
    (mark.labels || []).forEach(function (words, place) {
      var at = real(mark.x[place]), to = real(mark.y[place]);
      if (!words || !isFinite(at) || !isFinite(to)) return;
      make(svg, "text", { x: x.at(at), y: y.at(to) + (to < middle ? 15 : -6), "text-anchor": "middle",
        style: "font-weight:600;fill:" + paint }, words);
    });
  }

  function bars(svg, figure, mark, x, y, paint, called) {
    var isLying = mark.direction === "horizontal";
    mark.at.forEach(function (at, place) {
      var start = real(mark.start[place]), end = real(mark.end[place]);
      if (!isFinite(end) || !isFinite(start)) return;
      var along = isLying ? y : x, out = isLying ? x : y;
      var edges = [along.at(at - mark.width / 2), along.at(at + mark.width / 2)].sort(function (a, b) { return a - b; });
      var ends = [out.at(start), out.at(end)].sort(function (a, b) { return a - b; });
      var thick = Math.max(1, edges[1] - edges[0] - 1), length = Math.max(0.5, ends[1] - ends[0]);
      var bar = make(svg, "rect", isLying
        ? { x: ends[0], y: edges[0], width: length, height: thick, style: "fill:" + paint }
        : { x: edges[0], y: ends[0], width: thick, height: length, style: "fill:" + paint });
      var name = isLying ? figure.y.categories[Math.round(at)] || "" : called(at);
      told(bar, [mark.name, name, said(start === 0 ? end : end - start)].filter(Boolean).join(" · "));
      var words = (mark.labels || [])[place];
      if (words && (isLying || thick > words.length * 6)) make(svg, "text", isLying
        ? { x: Math.min(ends[1] + 4, x.at(x.highest) - words.length * 6), y: (edges[0] + edges[1]) / 2 + 4 }
        : { x: (edges[0] + edges[1]) / 2, y: ends[0] - 3, "text-anchor": "middle" }, words);
    });
  }

  function path(svg, mark, x, y, paint, called) {
    var drawn = "", isDown = false;
    mark.x.forEach(function (value, place) {
      var at = real(value), to = real(mark.y[place]);
      if (!isFinite(at) || !isFinite(to)) { isDown = false; return; }
      drawn += (isDown ? "L" : "M") + x.at(at).toFixed(1) + " " + y.at(to).toFixed(1);
      isDown = true;
    });
    var node = make(svg, "path", { d: drawn, style: "fill:none;stroke-width:2;stroke:" + paint });
    if (mark.stroke === "dashed") node.setAttribute("stroke-dasharray", "6 4");
    told(node, mark.name);
    if (mark.is_dotted_at_points) dots(svg, mark, x, y, paint, called);
  }

  function dots(svg, mark, x, y, paint, called) {
    mark.x.forEach(function (value, place) {
      var at = real(value), to = real(mark.y[place]);
      if (!isFinite(at) || !isFinite(to)) return;
      var dot = make(svg, "circle", { cx: x.at(at).toFixed(1), cy: y.at(to).toFixed(1), r: 3, style: "fill:" + paint });
      if (mark.x.length <= 500) told(dot, [mark.name, called(at), said(to)].filter(Boolean).join(" · "));
    });
  }

  function band(svg, mark, x, y, paint) {
    var there = [], back = [];
    mark.x.forEach(function (value, place) {
      var at = x.at(real(value)), low = y.at(real(mark.lower[place])), high = y.at(real(mark.upper[place]));
      if (![at, low, high].every(isFinite)) return;
      there.push(at.toFixed(1) + " " + high.toFixed(1));
      back.unshift(at.toFixed(1) + " " + low.toFixed(1));
    });
    told(make(svg, "polygon", { points: there.concat(back).join(" "), style: "opacity:.35;fill:" + paint }), mark.name);
  }

  function rule(svg, mark, x, y, paint, left, right, bottom, isLabelled) {
    var isFlat = mark.direction === "horizontal", at = (isFlat ? y : x).at(real(mark.value));
    var node = make(svg, "line", isFlat ? { x1: left, x2: right, y1: at, y2: at } : { x1: at, x2: at, y1: 12, y2: bottom });
    node.setAttribute("style", "stroke-width:1.5;stroke:" + paint);
    if (mark.stroke === "dashed") node.setAttribute("stroke-dasharray", "6 4");
    var isFar = at + mark.label.length * 6.6 > right;
    if (mark.label && !isLabelled) make(svg, "text", isFlat
      ? { x: right - 4, y: at - 4, "text-anchor": "end" }
      : { x: at + (isFar ? -4 : 4), y: 22, "text-anchor": isFar ? "end" : "start" }, mark.label);
  }

  function pie(box, mark) {
    var svg = make(box, "svg", { viewBox: "0 0 300 300", role: "img" });
    var values = reals(mark.values).map(function (value) { return value > 0 ? value : 0; });
    var total = values.reduce(function (sum, value) { return sum + value; }, 0) || 1, turn = -Math.PI / 2;
    values.forEach(function (value, place) {
      var angle = Math.min(value / total, 0.99999) * 2 * Math.PI, to = turn + angle;
      var slice = make(svg, "path", { style: "stroke:var(--card, #FFF);fill:" + series(place), d:
        "M150 150L" + (150 + 130 * Math.cos(turn)) + " " + (150 + 130 * Math.sin(turn)) + "A130 130 0 " +
        (angle > Math.PI ? 1 : 0) + " 1 " + (150 + 130 * Math.cos(to)) + " " + (150 + 130 * Math.sin(to)) + "Z" });
      told(slice, mark.names[place] + " · " + said(value));
      turn = to;
    });
    legend(box, mark.names.map(function (name, place) {
      return [name + " · " + ((mark.labels || [])[place] || said(values[place])), series(place)];
    }));
  }

  function heat(box, figure, mark) {
    box.classList.add("is-heat");
    var all = [].concat.apply([], mark.values.map(reals)).filter(isFinite);
    var low = Math.min.apply(null, all), high = Math.max.apply(null, all);
    var table = document.createElement("table");
    function cell(row, kind, words) {
      var node = document.createElement(kind);
      node.textContent = words;
      row.appendChild(node);
      return node;
    }
    var head = table.insertRow();
    cell(head, "th", "");
    figure.x.categories.forEach(function (name) { cell(head, "th", name); });
    mark.values.forEach(function (values, at) {
      var row = table.insertRow();
      cell(row, "th", figure.y.categories[at] || "");
      reals(values).forEach(function (value, place) {
        var words = ((mark.labels || [])[at] || [])[place];
        var node = cell(row, "td", words === undefined ? said(value) : words);
        var steps = mark.steps || [], passed = steps.filter(function (step) { return Math.abs(value) > step; }).length;
        var share = !isFinite(value) ? 0 : steps.length ? passed / steps.length : (value - low) / (high - low || 1);
        var ground = steps.length && value > 0 ? "var(--bad, #C0362C)" : series(0);
        node.style.background = "color-mix(in srgb, " + ground + " " + Math.round(share * 85) + "%, transparent)";
        if (share > 0.55) node.style.color = "#FFFFFF";
      });
    });
    box.appendChild(table);
  }

  function legend(box, entries) {
    if (box.previousElementSibling && box.previousElementSibling.className === "qhub-legend") return;
    var list = document.createElement("div");
    list.className = "qhub-legend";
    entries.forEach(function (entry) {
      var item = document.createElement("span"), square = document.createElement("i");
      square.style.background = entry[1];
      item.appendChild(square);
      item.appendChild(document.createTextNode(entry[0]));
      list.appendChild(item);
    });
    box.parentNode.insertBefore(list, box);
  }

  function draw(box, figure) {
    box.textContent = "";
    var first = figure.marks[0] || {};
    if (first.type === "slices") return pie(box, first);
    if (first.type === "cells") return heat(box, figure, first);
    var named = figure.marks.filter(function (mark) { return mark.name; });
    var names = named.filter(function (mark, at) {
      return named.findIndex(function (each) { return each.name === mark.name; }) === at;
    });
    if (names.length > 1) legend(box, names.map(function (mark) { return [mark.name, colour(mark)]; }));
    plane(box, figure);
  }

  document.querySelectorAll(".qhub-figure").forEach(function (box) {
    var kept = document.querySelector('script[data-figure-of="' + box.dataset.figure + '"]');
    if (!kept) return;
    var figure = JSON.parse(kept.textContent), last = 0;
    draw(box, figure);
    last = box.clientWidth;
    new ResizeObserver(function () {
      // The drawing itself changes the height of some: only another width counts.
      if (Math.abs(box.clientWidth - last) < 2 || matchMedia("print").matches) return;
      last = box.clientWidth;
      draw(box, figure);
    }).observe(box);
  });
})();
