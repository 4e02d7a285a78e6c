"use strict";
// The variable tag cloud. Everything was prepared when the page was made: the control only shows other words.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.querySelector(".overview"), body = root.querySelector(".body");
  const chart = root.querySelector(".chart"), cloud = root.querySelector(".cloud");
  const said = root.querySelector(".said"), share = root.querySelector(".share"), where = root.querySelector(".where");
  const calm = data.theme === "calm", points = data.points, asked = where.firstElementChild;
  const contexts = 12;  // shown at once; the page holds more
  let chosen = -1, opened = null;

  const number = value => String(value).replace(/\B(?=(\d{3})+$)/g, ",").replace(/\d/g, digit => data.digits[digit]);
  const percentSign = data.digits[0] === "0" ? " %" : " ٪";
  const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (all, name) => name in values ? number(values[name]) : all);
  const svgNode = (name, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const element = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // ---- the chart. Calm: x = number of words, y = weight of the last; published: x = percentage, y = number of words
  const height = calm ? 104 : 200, top = 12, bottom = calm ? 36 : 38;
  const most = points.length ? points[points.length - 1][0] : 1;
  const left = calm ? 16 : 28 + 8 * String(most).length, right = calm ? 24 : 14;
  let width = 0, svg = null;
  const x = at => left + at / Math.max(1, points.length - 1) * (width - left - right);
  const y = part => height - bottom - part * (height - top - bottom);

  function drawChart() {
    width = Math.max(240, chart.clientWidth - 20);
    svg = svgNode("svg", {viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true"});
    svg.append(svgNode("line", {class: "axis", x1: left, x2: width - right, y1: y(0), y2: y(0)}));
    const step = calm ? (width < 480 ? 2 : 1) : (width < 480 ? 4 : 2);
    points.forEach(([count, percent], at) => {
      const label = {x: x(at), "text-anchor": "middle"};
      if (calm && (at % step === 0 || at === chosen)) {
        svg.append(svgNode("text", {...label, y: height - 19}, number(count)));
        if (at % (2 * step) === 0) svg.append(svgNode("text", {...label, y: height - 4, class: "second"}, number(percent) + percentSign));
      }
      if (!calm && at % step === step - 1) svg.append(svgNode("text", {...label, y: height - 20}, number(percent) + percentSign));
    });
    if (!calm) {
      svg.append(svgNode("line", {class: "axis", x1: left, x2: left, y1: top, y2: y(0)}));
      for (const part of [0, .5, 1])
        svg.append(svgNode("text", {x: left - 6, y: y(part) + 4, "text-anchor": "end"}, number(Math.round(most * part))));
      svg.append(svgNode("text", {x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle"}, data.words.x));
      svg.append(svgNode("text", {x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle",
        transform: `rotate(-90 12 ${(top + height - bottom) / 2})`}, data.words.y));
    }
    svg.append(svgNode("line", {class: "cursor", y1: top, y2: y(0)}));
    svg.append(svgNode("polyline", {class: "curve", points: points.map((point, at) => x(at) + "," + y(point[2])).join(" ")}));
    points.forEach((point, at) => svg.append(svgNode("circle", {class: "dot", cx: x(at), cy: y(point[2]), r: 4})));
    chart.replaceChildren(svg);
    markChosen();
  }

  function markChosen() {
    if (!svg || chosen < 0) return;
    const cursor = svg.querySelector(".cursor");
    cursor.setAttribute("x1", x(chosen));
    cursor.setAttribute("x2", x(chosen));
    svg.querySelectorAll(".dot").forEach((dot, at) => {
      dot.classList.toggle("on", at === chosen);
      dot.setAttribute("r", at === chosen ? 7 : 4);
    });
  }

  // ---- words that no font here can show are left out: a box says nothing. Only letters of rarer scripts are looked at.
  const drawing = document.createElement("canvas").getContext("2d", {willReadFrequently: true}), drawn = new Map();
  const drawnAs = letter => {
    drawing.clearRect(0, 0, 40, 40);
    drawing.fillText(letter, 4, 30);
    return drawing.getImageData(0, 0, 40, 40).data.join();
  };
  drawing.canvas.width = drawing.canvas.height = 40;
  drawing.font = "24px " + getComputedStyle(root).fontFamily;
  const box = drawnAs("\u0378");  // a number that no letter has
  const rare = /[^\p{Script=Latin}\p{Script=Thai}\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]/gu;
  const isShown = letter => {
    if (!drawn.has(letter)) drawn.set(letter, drawnAs(letter) !== box);
    return drawn.get(letter);
  };
  const readable = term => (data.terms[term].match(rare) || []).every(isShown);
  const order = data.order.filter(readable);

  // ---- the words of one position. Each keeps its node, its size and its place among the others.
  const items = new Map();
  function item(term, look) {
    let found = items.get(term);
    if (!found) {
      const button = element("button", "", data.terms[term]), letters = [...data.terms[term]].length;
      button.type = "button";
      button.dataset.term = term;
      button.setAttribute("aria-expanded", "false");
      if (letters > 12) button.style.setProperty("--letters", letters);
      found = element("li");
      found.append(button);
      items.set(term, found);
    }
    found.firstChild.className = look;
    return found;
  }
  const shownAt = ([count, percent]) => calm
    ? order.slice(0, count).sort((one, other) => one - other).map(term => item(term, "w" + data.sizes[term]))
    : data.lists[percent].filter(([term]) => readable(term)).map(([term, style]) => item(term, "s" + style));

  function choose(index) {
    index = Math.min(points.length - 1, Math.max(0, index));
    if (index === chosen) return;
    chosen = index;
    const [count, percent] = points[index];
    cloud.replaceChildren(...shownAt(points[index]));
    said.textContent = fill(calm ? data.words.words : data.words.said, {count, percent});
    share.textContent = calm ? fill(data.words.share, {percent}) : "";
    chart.setAttribute("aria-valuenow", calm ? count : percent);
    chart.setAttribute("aria-valuetext", said.textContent);
    markChosen();
    if (opened && !opened.isConnected) close();
  }

  const nearest = event => {
    const box = svg.getBoundingClientRect();
    return Math.round(((event.clientX - box.left) * width / box.width - left) / (width - left - right) * (points.length - 1));
  };
  let dragging = false;
  chart.addEventListener("pointerdown", event => { dragging = true; chart.setPointerCapture(event.pointerId); choose(nearest(event)); });
  chart.addEventListener("pointermove", event => { if (dragging) choose(nearest(event)); });
  chart.addEventListener("pointerup", () => { dragging = false; });
  chart.addEventListener("pointercancel", () => { dragging = false; });
  chart.addEventListener("keydown", event => {
    const move = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 4, PageDown: -4}[event.key];
    if (move) choose(chosen + move);
    else if (event.key === "Home") choose(0);
    else if (event.key === "End") choose(points.length - 1);
    else return;
    event.preventDefault();
  });

  // ---- a word: how often, on which pages and sites, over time, where in the text
  const site = page => { try { return new URL(data.pages[page]).host || data.pages[page]; } catch { return data.pages[page]; } };
  function sums(pairs, key) {
    const out = new Map();
    for (const [page, times] of pairs) if (key(page)) out.set(key(page), (out.get(key(page)) || 0) + times);
    return out;
  }
  function course(months) {
    const all = [...new Set(data.times.filter(Boolean))].sort(), highest = Math.max(...months.values());
    const drawing = svgNode("svg", {class: "course", viewBox: "0 0 320 64", role: "img", preserveAspectRatio: "none", direction: "ltr",
      "aria-label": all.map(month => month + ": " + (months.get(month) || 0)).join(", ")});
    const wide = 320 / all.length;
    all.forEach((month, at) => {
      const tall = (months.get(month) || 0) / highest * 44;
      const bar = svgNode("rect", {x: at * wide + wide * .1, width: wide * .8, y: 48 - tall, height: Math.max(tall, .5)});
      bar.append(svgNode("title", {}, month + ": " + number(months.get(month) || 0)));
      drawing.append(bar);
    });
    drawing.append(svgNode("text", {x: 0, y: 62}, all[0]));
    if (all.length > 1) drawing.append(svgNode("text", {x: 320, y: 62, "text-anchor": "end"}, all[all.length - 1]));
    return drawing;
  }
  function close() {
    if (opened) opened.setAttribute("aria-expanded", "false");
    opened = null;
    body.classList.remove("open");
    where.replaceChildren(asked);
  }
  function show(button) {
    const term = button.dataset.term, pairs = data.counts[term] || [];
    const sites = sums(pairs, site), months = sums(pairs, page => data.times[page]);
    const header = element("header"), shut = element("button", "close", data.words.close);
    shut.type = "button";
    shut.addEventListener("click", () => { const word = opened; close(); word.focus(); });
    header.append(element("h2", "", button.textContent), shut);
    const times = pairs.reduce((total, pair) => total + pair[1], 0);
    const parts = [header, element("p", "times", fill(data.words.times, {times, pages: pairs.length, sites: sites.size}))];
    if (new Set(data.times.filter(Boolean)).size > 1 && months.size) parts.push(element("h3", "", data.words.course), course(months));
    if (new Set(data.pages.map((name, page) => site(page))).size > 1) {
      const list = element("ul", "sites");
      [...sites].sort((one, other) => other[1] - one[1]).slice(0, 8).forEach(([name, count]) => {
        const row = element("li"), host = element("bdi", "", name);
        row.append(host, " " + number(count));
        list.append(row);
      });
      parts.push(element("h3", "", data.words.sites), list);
    }
    const list = element("ol");
    for (const [passage, start, end] of (data.places[term] || []).slice(0, contexts)) {
      const {text, page} = data.passages[passage], row = element("li");
      // A cut within a cluster would leave marks without their letter.
      const before = text.slice(Math.max(0, start - 90), start).replace(/^[\p{M}\u0e33\u200c\u200d]+/u, "");
      row.append((start > 90 ? "…" : "") + before, element("mark", "", text.slice(start, end)),
                 text.slice(end, end + 90) + (end + 90 < text.length ? "…" : ""));
      if (data.pages.length > 1) row.append(element("cite", "", " " + data.pages[page]));
      list.append(row);
    }
    if (list.children.length) parts.push(element("h3", "", data.words.where), list);
    where.replaceChildren(...parts);
    where.scrollTop = 0;
  }
  cloud.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button === opened) return close();
    close();
    opened = button;
    button.setAttribute("aria-expanded", "true");
    body.classList.add("open");
    show(button);
    where.scrollIntoView({block: "nearest"});
  });
  root.addEventListener("keydown", event => { if (event.key === "Escape" && opened) { const word = opened; close(); word.focus(); } });

  // ---- the chosen cloud as a picture: each word as text at the place where it stands on the page
  function picture() {
    const box = cloud.getBoundingClientRect(), wide = Math.ceil(box.width), tall = Math.ceil(box.height);
    const out = svgNode("svg", {xmlns: "http://www.w3.org/2000/svg", width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`});
    let paper = root;
    while (paper && /^(transparent|rgba\(0, 0, 0, 0\))$/.test(getComputedStyle(paper).backgroundColor)) paper = paper.parentElement;
    out.append(svgNode("rect", {width: "100%", height: "100%", fill: paper ? getComputedStyle(paper).backgroundColor : "#ffffff"}));
    const pen = document.createElement("canvas").getContext("2d");
    for (const button of cloud.querySelectorAll("button")) {
      const look = getComputedStyle(button), place = button.getBoundingClientRect(), rightToLeft = look.direction === "rtl";
      pen.font = `${look.fontWeight} ${look.fontSize} ${look.fontFamily}`;
      const {fontBoundingBoxAscent: up, fontBoundingBoxDescent: down} = pen.measureText("x");
      out.append(svgNode("text", {x: (rightToLeft ? place.right : place.left) - box.left,
        y: place.top - box.top + (place.height + up - down) / 2, direction: look.direction, "font-family": look.fontFamily,
        "font-size": look.fontSize, "font-weight": look.fontWeight, fill: look.color}, button.textContent));
    }
    return new Blob([new XMLSerializer().serializeToString(out)], {type: "image/svg+xml"});
  }
  function save(blob, name) {
    const link = element("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  document.getElementById("svg").addEventListener("click", () => save(picture(), "cloud.svg"));
  document.getElementById("png").addEventListener("click", () => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.width * 2;
      canvas.height = image.height * 2;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(blob => save(blob, "cloud.png"));
      URL.revokeObjectURL(image.src);
    };
    image.src = URL.createObjectURL(picture());
  });
  document.getElementById("print").addEventListener("click", () => print());

  addEventListener("resize", drawChart);
  choose(data.initial);
  drawChart();
})();
