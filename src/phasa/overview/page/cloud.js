"use strict";
// The variable tag cloud. Everything was prepared when the page was made: choosing a percentage only shows another list.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const chart = document.querySelector(".chart"), cloud = document.querySelector(".cloud");
  const said = document.querySelector(".said"), where = document.querySelector(".where");
  const percents = data.chart.map(point => point[0]);
  let chosen = -1, opened = null;

  const svgNode = (name, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // ---- the line chart: x = percentage of unique weights, y = number of keywords
  const most = Math.max(1, ...data.chart.map(point => point[1]));
  const left = 28 + 8 * String(most).length, right = 14, top = 12, bottom = 38, height = 200;  // room for the largest number
  let width = 0, svg = null;
  const x = percent => left + (percent - 5) / 95 * (width - left - right);
  const y = count => height - bottom - count / most * (height - top - bottom);

  function drawChart() {
    width = Math.max(240, chart.clientWidth - 20);
    svg = svgNode("svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
    svg.append(svgNode("line", {class: "axis", x1: left, x2: width - right, y1: y(0), y2: y(0)}));
    svg.append(svgNode("line", {class: "axis", x1: left, x2: left, y1: top, y2: y(0)}));
    for (const share of [0, .5, 1]) {
      const count = Math.round(most * share);
      svg.append(svgNode("text", {x: left - 6, y: y(count) + 4, "text-anchor": "end"}, count));
    }
    const step = width < 480 ? 4 : 2;
    percents.forEach((percent, i) => {
      if (i % step === step - 1) svg.append(svgNode("text", {x: x(percent), y: height - 20, "text-anchor": "middle"}, percent + " %"));
    });
    svg.append(svgNode("text", {x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle"}, data.words.x));
    svg.append(svgNode("text", {x: 12, y: (top + height - bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 12 ${(top + height - bottom) / 2})`}, data.words.y));
    svg.append(svgNode("line", {class: "cursor", y1: top, y2: y(0)}));
    svg.append(svgNode("polyline", {class: "curve", points: data.chart.map(point => x(point[0]) + "," + y(point[1])).join(" ")}));
    data.chart.forEach(point => svg.append(svgNode("circle", {class: "dot", cx: x(point[0]), cy: y(point[1]), r: 4})));
    chart.replaceChildren(svg);
    markChosen();
  }

  function markChosen() {
    if (!svg || chosen < 0) return;
    const cursor = svg.querySelector(".cursor");
    cursor.setAttribute("x1", x(percents[chosen]));
    cursor.setAttribute("x2", x(percents[chosen]));
    svg.querySelectorAll(".dot").forEach((dot, i) => {
      dot.classList.toggle("on", i === chosen);
      dot.setAttribute("r", i === chosen ? 7 : 4);
    });
  }

  // ---- the cloud of one percentage
  function choose(index) {
    index = Math.min(percents.length - 1, Math.max(0, index));
    if (index === chosen) return;
    chosen = index;
    const percent = percents[index], list = data.lists[percent];
    cloud.replaceChildren(...list.map(([term, style]) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.className = "s" + style;
      button.dataset.term = term;
      button.textContent = data.terms[term];
      button.setAttribute("aria-expanded", "false");
      item.append(button);
      return item;
    }));
    const sentence = data.words.said.replace("{count}", list.length).replace("{percent}", percent);
    said.textContent = sentence;
    chart.setAttribute("aria-valuenow", percent);
    chart.setAttribute("aria-valuetext", sentence);
    markChosen();
    close();
  }

  const nearest = event => {
    const box = svg.getBoundingClientRect();
    const percent = 5 + ((event.clientX - box.left) * width / box.width - left) / (width - left - right) * 95;
    return Math.round(percent / 5) - 1;
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
    else if (event.key === "End") choose(percents.length - 1);
    else return;
    event.preventDefault();
  });

  // ---- where a tag stands in the text
  function close() {
    if (opened) opened.setAttribute("aria-expanded", "false");
    opened = null;
    where.hidden = true;
  }
  cloud.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button === opened) return close();
    close();
    opened = button;
    button.setAttribute("aria-expanded", "true");
    const title = document.createElement("h2"), list = document.createElement("ol");
    title.textContent = button.textContent;
    for (const [passage, start, end] of data.places[button.dataset.term] || []) {
      const {text, page} = data.passages[passage];
      const item = document.createElement("li"), mark = document.createElement("mark");
      mark.textContent = text.slice(start, end);
      item.append((start > 160 ? "…" : "") + text.slice(Math.max(0, start - 160), start), mark,
                  text.slice(end, end + 160) + (end + 160 < text.length ? "…" : ""));
      if (data.pages.length > 1) {
        const source = document.createElement("cite");
        source.textContent = " " + data.pages[page];
        item.append(source);
      }
      list.append(item);
    }
    where.replaceChildren(title, list);
    where.hidden = false;
    where.scrollIntoView({block: "nearest"});
  });

  // ---- the chosen cloud as a picture: each tag as text at the place where it stands on the page
  function picture() {
    const box = cloud.getBoundingClientRect();
    const out = svgNode("svg", {xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(box.width), height: Math.ceil(box.height),
      viewBox: `0 0 ${Math.ceil(box.width)} ${Math.ceil(box.height)}`});
    out.append(svgNode("rect", {width: "100%", height: "100%", fill: "#ffffff"}));
    for (const button of cloud.querySelectorAll("button")) {
      const look = getComputedStyle(button), place = button.getBoundingClientRect();
      const rightToLeft = look.direction === "rtl";
      out.append(svgNode("text", {x: (rightToLeft ? place.right : place.left) - box.left,
        y: place.top - box.top + place.height * .76, direction: look.direction, "font-family": look.fontFamily,
        "font-size": look.fontSize, "font-weight": look.fontWeight, fill: look.color}, button.textContent));
    }
    return new Blob([new XMLSerializer().serializeToString(out)], {type: "image/svg+xml"});
  }
  function save(blob, name) {
    const link = document.createElement("a");
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

  addEventListener("resize", drawChart);
  choose(percents.indexOf(data.initial));
  drawChart();
})();
