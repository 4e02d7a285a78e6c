"use strict";
// The Crawl page while one looks at it: numbers and charts by server-sent events, orders without leaving the page.
document.addEventListener("DOMContentLoaded", () => {
  const page = document.getElementById("crawl");
  if (!page) return;
  const id = name => document.getElementById(name);
  const whole = n => n.toLocaleString("en", {maximumFractionDigits: 0});
  const size = n => { for (const u of ["B", "kB", "MB", "GB"]) { if (n < 1000) return (u === "B" || n >= 100 ? n.toFixed(0) : n.toFixed(1)) + " " + u; n /= 1000; } return n.toFixed(1) + " TB"; };
  const percent = (n, digits) => (n * 100).toFixed(digits) + " %";
  const shown = {
    pages: whole, wanted: whole, waiting: whole, ready_hosts: whole, leased: whole, harvest: n => percent(n, 1),
    harvest_last_100: n => percent(n, 0), pages_per_second: n => n.toFixed(1), words_per_megabyte: whole, megabytes: n => size(n * 1e6),
  };
  // What hides or turns the direction of writing is drawn as what it is, as the server does it.
  const plain = (text, most) => {
    const line = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "�").replace(/[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g, c => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
    return line.length > most ? line.slice(0, most - 1) + "…" : line;
  };
  const address = (text, most) => {
    const node = document.createElement("bdi");
    node.dir = "ltr";
    node.className = "url";
    node.textContent = plain(text, most);
    node.title = plain(text, 1000);
    return node;
  };
  const say = (text, bad) => {
    const box = id("message");
    box.textContent = text;
    box.classList.toggle("bad", !!bad);
    box.hidden = !text;
  };

  // ── orders ──────────────────────────────────────────────────────────────────
  const done = {
    pause: () => "Paused: nothing is fetched until you resume.", resume: () => "It goes on.", start: () => "Started.",
    stop: () => "Stopping: what is being fetched is finished first.",
    seeds: answer => [`${answer.added.length} added`, answer.known.length && `${answer.known.length} known already`, answer.junk.length && `no addresses: ${answer.junk.slice(0, 3).map(j => plain(j, 60)).join(", ")}`].filter(Boolean).join("; ") + ".",
    budgets: () => "Set. A running crawl obeys within a second.",
  };
  for (const form of document.querySelectorAll("form[data-order]")) form.addEventListener("submit", async event => {
    event.preventDefault();
    const order = form.dataset.order, button = form.querySelector("button"), body = {};
    for (const field of form.querySelectorAll("input[type=number], textarea")) if (field.value.trim()) body[field.name] = field.type === "number" ? Number(field.value) : field.value;
    button.disabled = true;
    try {
      const answer = await phasa.post(form.getAttribute("action"), body);
      say(done[order](answer));
      if (order === "seeds") form.reset();
      if (page.dataset.state === "never" && (order === "start" || order === "seeds")) location.reload();
    } catch (problem) { say(problem.message, true); }
    button.disabled = false;
  });

  if (page.dataset.state === "never") {
    // The page is another one as soon as somebody starts a crawl.
    phasa.listen("/api/crawl/events", {now: now => { if (now.state !== "never") location.reload(); }});
    return;
  }

  // ── charts ──────────────────────────────────────────────────────────────────
  const harvest = new charts.Line(id("chart-harvest"), {y: "percent", top: 1, fromZero: true, height: 260, xName: "pages", label: "Harvest by pages fetched, ours and breadth-first", empty: "The line begins with the second sample."});
  const minis = {
    pages_per_second: new charts.Line(id("chart-rate"), {x: "clock", label: "Pages a second over time"}),
    waiting: new charts.Line(id("chart-waiting"), {x: "clock", whole: true, label: "Waiting URLs over time"}),
    ready_hosts: new charts.Line(id("chart-ready"), {x: "clock", whole: true, label: "Hosts ready over time"}),
    words_per_megabyte: new charts.Line(id("chart-words"), {x: "clock", label: "Words per megabyte over time"}),
    megabytes: new charts.Line(id("chart-bytes"), {x: "clock", label: "Megabytes fetched over time"}),
  };
  const units = {megabytes: "MB", pages_per_second: "a second", waiting: "waiting", ready_hosts: "ready", words_per_megabyte: "words"};
  const MOST = 1200;
  let history = null, shadow = [];
  const columns = ["seconds", "pages", "wanted", "harvest_last_100", "pages_per_second", "waiting", "ready_hosts", "words_per_megabyte", "megabytes"];
  const draw = () => {
    if (!history) return;
    const h = history, at = h.pages.map((_, i) => i).filter(i => h.pages[i] > 0);
    harvest.show([
      {name: "last 100", kind: "c3", thin: true, points: at.filter(i => h.harvest_last_100[i] !== null).map(i => [h.pages[i], h.harvest_last_100[i]])},
      {name: "breadth-first", kind: "c2", dashed: true, points: shadow.map(p => [p.pages, p.harvest])},
      {name: "ours", kind: "c1", area: true, points: at.map(i => [h.pages[i], h.wanted[i] / h.pages[i]])},
    ]);
    for (const name in minis) minis[name].show([{name: units[name], kind: "c1", area: true, points: h.seconds.map((s, i) => [s, h[name][i]])}]);
  };
  const append = now => {
    if (!history || now.state !== "running" || now.pages_per_second === null) return;
    const h = history, n = h.seconds.length, before = n ? h.time[n - 1] : now.time - 1;
    if (n && now.pages < h.pages[n - 1]) return;
    const step = now.time - before;
    h.time.push(now.time);
    const values = Object.assign({}, now, {seconds: (n ? h.seconds[n - 1] : 0) + (step > 0 && step < 30 ? step : 0)});
    for (const name of columns) h[name].push(values[name] ?? (name === "harvest_last_100" ? null : 0));
    if (h.seconds.length > MOST) for (const name of ["time", ...columns]) h[name] = h[name].filter((_, i) => i % 2 === 0 || i === h[name].length - 1);
    draw();
  };
  fetch("/api/crawl/history?points=400").then(answer => answer.json()).then(value => { history = value; draw(); }).catch(() => say("The history could not be read.", true));

  // ── live ────────────────────────────────────────────────────────────────────
  const names = {never: "Not started", rest: "Not running", running: "Running", paused: "Paused"};
  const figures = now => {
    for (const node of page.querySelectorAll("[data-live]")) {
      const value = now[node.dataset.live], text = value === null || value === undefined ? "–" : shown[node.dataset.live](value);
      if (node.textContent !== text) node.textContent = text;
    }
    const state = id("state");
    state.dataset.state = page.dataset.state = now.state;
    if (state.textContent !== names[now.state]) state.textContent = names[now.state];
    id("when-running").hidden = now.state !== "running";
    id("when-paused").hidden = now.state !== "paused";
    id("when-on").hidden = now.state !== "running" && now.state !== "paused";
    id("when-off").hidden = now.state !== "rest" || page.dataset.mayStart !== "1";
    const left = now.seconds_left ? `, about ${charts.formats.clock(now.seconds_left)} left` : "", limit = now.limits.pages ? ` of ${whole(now.limits.pages)}` : "";
    const sub = {
      running: `Strategy ${now.strategy}${now.workers > 1 ? ` on ${now.workers} workers` : ""}; ${whole(now.done)}${limit} URLs done${left}.`,
      paused: "Nothing is fetched until you resume.", rest: now.ended ? `The last run ended: ${plain(now.ended, 200)}.` : plain(now.what_next, 200), never: "",
    }[now.state] + (now.errors.length ? ` Trouble: ${plain(now.errors[0], 200)}` : "");
    if (id("sub").textContent !== sub) id("sub").textContent = sub;
    id("fetching").replaceChildren(...now.fetching.slice(0, 12).map(url => { const row = document.createElement("li"); row.append(address(url, 200)); return row; }));
    id("fetching-none").hidden = now.fetching.length > 0;
  };
  const cell = (row, content, kind) => { const node = row.insertCell(); if (kind) node.className = kind; node.append(content); return node; };
  const bar = place => {
    const svg = charts.make("svg", {class: "mixed", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true"});
    svg.append(charts.make("rect", {class: "no", width: 100, height: 8}), charts.make("rect", {class: "yes", width: (place.harvest * 100).toFixed(2), height: 8}));
    return svg;
  };
  const table = (name, places, most) => {
    const body = id(name).tBodies[0];
    body.replaceChildren();
    for (const place of places) {
      const row = body.insertRow();
      cell(row, address(place.name, most), "wide-cell");
      cell(row, whole(place.pages), "n");
      cell(row, percent(place.harvest, 0), "n");
      const shares = cell(row, bar(place), "wide-cell");
      if (place.languages && place.languages.length) {
        const text = document.createElement("span");
        text.className = "langs";
        text.textContent = place.languages.slice(0, 4).map(l => `${plain(l.language, 12)} ${percent(l.share, 0)}`).join(" · ");
        shares.append(text);
      }
      cell(row, size(place.bytes), "n");
    }
  };
  const tables = found => {
    table("hosts", found.hosts, 80);
    table("segments", found.segments, 100);
    id("counting").hidden = found.counted >= 1;
    id("counted").textContent = percent(found.counted, 0);
    id("counting").querySelector("progress").value = found.counted;
    const c = found.coverage;
    if (c) {
      id("cover-pages").textContent = c.pages === null ? "–" : percent(c.pages, 0);
      id("cover-pages-note").textContent = `${whole(c.wanted)} fetched, about ${whole(c.wanted_waiting)} more wait`;
      id("cover-hosts").textContent = c.hosts === null ? "–" : percent(c.hosts, 0);
      id("cover-hosts-note").textContent = `${whole(c.wanted_hosts)} of at least ${whole(c.hosts_at_least)}`;
    }
    shadow = found.shadow;
    draw();
  };
  const source = phasa.listen("/api/crawl/events", {now: now => { figures(now); append(now); }, tables, problem: problem => say(plain(problem.error, 300), true)});
  source.addEventListener("error", () => { if (source.readyState !== EventSource.OPEN) { id("state").dataset.state = "rest"; id("state").textContent = "Connecting…"; } });
});
