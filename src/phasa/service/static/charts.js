"use strict";
// Line charts in plain SVG: axes with round numbers, a legend, a cross-hair for mouse and keyboard. No library.
const charts = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, attributes, text) => {
    const node = document.createElementNS(NS, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    // Axes run from left to right in every language, the words at them as their language does.
    if (text !== undefined && name === "text") {
      node.append(make("tspan", {}, text));
      // Where words run from right to left, their start is on the right.
      if (document.documentElement.dir === "rtl") node.setAttribute("text-anchor", {end: "start", middle: "middle"}[attributes["text-anchor"]] || "end");
    }
    else if (text !== undefined) node.textContent = text;
    return node;
  };
  // Round steps for an axis from 0 to most: at most `count` of them.
  const steps = (most, count, whole) => {
    if (!(most > 0)) return [0, 1];
    const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
    let step = [1, 2, 2.5, 5, 10].map(k => k * power).find(k => k >= rough - 1e-12);
    if (whole) step = Math.max(1, Math.ceil(step));
    const marks = [];
    for (let n = 0; n <= most + step * 1e-6; n += step) marks.push(n);
    if (marks[marks.length - 1] < most) marks.push(marks[marks.length - 1] + step);
    return marks;
  };
  const short = n => {
    for (const [size, unit] of [[1e9, "billion"], [1e6, "million"], [1e3, "thousand"]])
      if (Math.abs(n) >= size) return phasa.unit(unit, phasa.number(n / size, 1, 0));
    return phasa.number(n, Math.abs(n) < 10 ? 2 : 0, 0);
  };
  const percent = n => phasa.percent(n, n > 0 && n < 0.1 ? 1 : 0);
  const clock = seconds => {
    const s = Math.round(seconds);
    return s < 90 ? phasa.unit("seconds", phasa.number(s)) : phasa.hours(s / 3600);
  };
  const formats = {short, percent, clock};

  class Line {
    // options: {x: name of a format, y: the same, top: fixed upper end, height, xName and yName: titles of the axes, empty: what to say without data}
    constructor(figure, options) {
      this.figure = figure;
      this.options = Object.assign({x: "short", y: "short", height: 150, xName: "", yName: "", empty: phasa.word("no_figures")}, options);
      this.series = [];
      this.at = null;
      this.holder = figure.querySelector(".plot") || figure;
      this.svg = make("svg", {role: "img", tabindex: "0", "aria-label": this.options.label || ""});
      this.tip = document.createElement("div");
      this.tip.className = "tip";
      this.tip.hidden = true;
      this.tip.setAttribute("role", "status");
      this.holder.append(this.svg, this.tip);
      this.svg.addEventListener("pointermove", event => this.point(event));
      this.svg.addEventListener("pointerleave", () => this.leave());
      this.svg.addEventListener("blur", () => this.leave());
      this.svg.addEventListener("keydown", event => this.key(event));
      new ResizeObserver(() => this.draw()).observe(this.holder);
    }
    // series: [{name, kind: "c1".."c7", dashed, area, points: [[x, y], …] ascending in x}]
    show(series) { this.series = series; this.draw(); }
    draw() {
      const o = this.options, width = Math.max(200, this.holder.clientWidth), height = o.height;
      const lines = this.series.filter(s => s.points.length);
      this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.svg.setAttribute("width", width);
      this.svg.setAttribute("height", height);
      this.svg.replaceChildren();
      if (!lines.some(s => s.points.length > 1)) {
        this.svg.append(make("text", {x: width / 2, y: height / 2, "text-anchor": "middle", class: "nothing"}, o.empty));
        this.scale = null;
        return;
      }
      const xs = lines.flatMap(s => [s.points[0][0], s.points[s.points.length - 1][0]]);
      const least = o.fromZero ? 0 : Math.min(...xs), most = Math.max(...xs, least + 1e-9);
      let high = o.top || 0;
      if (!o.top) for (const s of lines) for (const p of s.points) if (p[1] > high) high = p[1];
      const marks = steps(high, height > 200 ? 5 : 3, o.whole), top = o.top || marks[marks.length - 1];
      const text = formats[o.y], left = Math.max(...marks.map(m => text(m).length)) * 6.6 + 12;
      const box = {left, right: width - 8, top: o.yName ? 24 : 8, bottom: height - (o.xName ? 38 : 22)};
      if (o.yName) this.svg.append(make("text", {x: 2, y: 12, class: "title"}, o.yName));
      if (o.xName) this.svg.append(make("text", {x: (box.left + box.right) / 2, y: height - 5, "text-anchor": "middle", class: "title"}, o.xName));
      const log = o.log && least > 0, across = box.right - box.left;
      const X = x => box.left + (log ? Math.log(x / least) / Math.log(most / least) : (x - least) / (most - least)) * across;
      const back = share => log ? least * (most / least) ** share : least + share * (most - least);
      const Y = y => box.bottom - Math.min(1, y / top) * (box.bottom - box.top);
      for (const mark of marks) {
        if (mark > top + 1e-9) continue;
        this.svg.append(make("line", {x1: box.left, x2: box.right, y1: Y(mark), y2: Y(mark), class: "axis"}));
        this.svg.append(make("text", {x: box.left - 6, y: Y(mark) + 4, "text-anchor": "end"}, text(mark)));
      }
      const places = [], along = steps(most - least, Math.max(2, Math.floor(width / 140))), pace = along[1] - along[0];
      if (log) {
        for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) for (const k of [1, 2, 5]) if (k * power >= least && k * power <= most) places.push(k * power);
      } else for (let x = Math.ceil(least / pace - 1e-9) * pace; x <= most + 1e-9; x += pace) places.push(x);
      for (const x of places) {
        const side = X(x) > box.right - 24 ? "end" : X(x) < box.left + 12 ? "start" : "middle";
        this.svg.append(make("text", {x: Math.min(X(x), box.right), y: box.bottom + 17, "text-anchor": side}, formats[o.x](x || 0)));
      }
      for (const s of lines) {
        if (s.points.length === 1) {
          this.svg.append(make("circle", {cx: X(s.points[0][0]), cy: Y(s.points[0][1]), r: 4, class: `dot ${s.kind}`}));
          continue;
        }
        // Not more points than pixels: of each column the last.
        const thin = [];
        let column = -1;
        for (const p of s.points) {
          const c = Math.round(X(p[0]));
          if (c === column) thin[thin.length - 1] = p; else thin.push(p);
          column = c;
        }
        const path = thin.map((p, i) => (i ? "L" : "M") + X(p[0]).toFixed(1) + " " + Y(p[1]).toFixed(1)).join("");
        if (s.area) this.svg.append(make("path", {d: `${path}L${X(thin[thin.length - 1][0]).toFixed(1)} ${box.bottom}L${X(thin[0][0]).toFixed(1)} ${box.bottom}Z`, class: `area ${s.kind}`}));
        this.svg.append(make("path", {d: path, class: `line ${s.kind}${s.dashed ? " dashed" : ""}${s.thin ? " thin" : ""}`}));
      }
      this.scale = {X, Y, back, box, least, most, lines};
      this.mark();
    }
    point(event) {
      if (!this.scale) return;
      const frame = this.svg.getBoundingClientRect(), {box} = this.scale;
      const share = (event.clientX - frame.left - box.left) / (box.right - box.left);
      this.at = this.scale.back(Math.max(0, Math.min(1, share)));
      this.mark();
    }
    key(event) {
      if (!this.scale) return;
      const {X, back, box} = this.scale, step = 1 / 50;
      const now = this.at === null ? 1 : (X(this.at) - box.left) / (box.right - box.left);
      const next = {ArrowLeft: now - step, ArrowRight: now + step, Home: 0, End: 1}[event.key];
      if (event.key === "Escape") return this.leave();
      if (next === undefined) return;
      event.preventDefault();
      this.at = back(Math.max(0, Math.min(1, next)));
      this.mark();
    }
    leave() { this.at = null; this.mark(); }
    mark() {
      this.svg.querySelectorAll(".hair").forEach(node => node.remove());
      this.tip.hidden = this.at === null || !this.scale;
      if (this.tip.hidden) return;
      const {X, Y, box, lines} = this.scale, text = formats[this.options.y];
      const rows = [];
      for (const s of lines) {
        let low = 0, high = s.points.length - 1;
        while (low < high) { const mid = (low + high) >> 1; if (s.points[mid][0] < this.at) low = mid + 1; else high = mid; }
        if (low > 0 && this.at - s.points[low - 1][0] < s.points[low][0] - this.at) low--;
        const p = s.points[low];
        if (!p || p[0] < this.at - (this.scale.most - this.scale.least) / 20) continue;
        rows.push([s, p]);
      }
      if (!rows.length) { this.tip.hidden = true; return; }
      const x = X(rows[0][1][0]);
      this.svg.append(make("line", {x1: x, x2: x, y1: box.top, y2: box.bottom, class: "hair"}));
      for (const [s, p] of rows) this.svg.append(make("circle", {cx: X(p[0]), cy: Y(p[1]), r: 3.5, class: `hair dot ${s.kind}`}));
      this.tip.replaceChildren();
      const head = document.createElement("div");
      head.className = "head";
      head.textContent = formats[this.options.x](rows[0][1][0]) + (this.options.xName ? " " + this.options.xName : "");
      this.tip.append(head);
      for (const [s, p] of rows) {
        const row = document.createElement("div"), key = document.createElement("span"), value = document.createElement("b");
        key.className = `k ${s.kind}`;
        value.textContent = text(p[1]);
        row.append(key, s.name + " ", value);
        this.tip.append(row);
      }
      const right = x > (box.left + box.right) / 2;
      this.tip.classList.toggle("right", right);
      this.tip.style.left = right ? "auto" : x + 12 + "px";
      this.tip.style.right = right ? this.holder.clientWidth - x + 12 + "px" : "auto";
    }
  }
  return {Line, formats, make, steps};
})();
