"use strict";
// The Crawl page while one looks at it: numbers and charts by server-sent events, orders without leaving the page.
document.addEventListener("DOMContentLoaded", () => {
  const page = document.getElementById("crawl");
  if (!page) return;
  const id = name => document.getElementById(name);
  const whole = n => phasa.number(n), size = n => phasa.size(n), percent = (n, digits) => phasa.percent(n, digits), word = (key, fields) => phasa.word(key, fields);
  const shown = {
    pages: whole, wanted: whole, waiting: whole, ready_hosts: whole, leased: whole, harvest: n => percent(n, 1),
    harvest_last_100: n => percent(n, 0), pages_per_second: n => phasa.number(n, 1), words_per_megabyte: whole, megabytes: n => size(n * 1e6),
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
  const names_of = new Intl.DisplayNames([document.documentElement.lang], {type: "language", fallback: "code"});
  const language = code => { try { return code === "und" ? "–" : names_of.of(code); } catch { return plain(code, 12); } };
  const say = (text, bad) => {
    const box = id("message");
    box.textContent = text;
    box.classList.toggle("bad", !!bad);
    box.hidden = !text;
  };

  const left = e => { id("left").textContent = word("left_said", {waiting: whole(e.waiting), pages: whole(e.pages), low: whole(e.at_least), high: whole(e.at_most), asked: whole(e.asked), open: whole(e.open)}); };

  // ── orders ──────────────────────────────────────────────────────────────────
  const done = {
    pause: () => word("paused"), resume: () => word("resumed"), start: () => word("started"), stop: () => word("stopping"),
    seeds: answer => [word("added", {n: whole(answer.added.length)}), answer.known.length && word("known", {n: whole(answer.known.length)}), answer.junk.length && word("junk", {list: answer.junk.slice(0, 3).map(j => plain(j, 60)).join(", ")})].filter(Boolean).join("; ") + ".",
    budgets: () => word("budgets_set"),
    estimate: answer => { left(answer); return word("left_drawn", {n: whole(answer.asked)}); },
    scope: answer => word(answer.running ? "scope_written_running" : "scope_written"),
  };
  for (const form of document.querySelectorAll("form[data-order]")) form.addEventListener("submit", async event => {
    event.preventDefault();
    const order = form.dataset.order, button = form.querySelector("button:not([type=button])"), body = order === "scope" ? {write: true} : {};
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

  // What a scope would do, before it is written.
  const look = id("scope-look");
  if (look) look.addEventListener("click", async () => {
    const form = id("scope"), body = {inside: form.inside.value, outside: form.outside.value, write: false};
    try {
      const {effect} = await phasa.post("/api/crawl/scope", body);
      id("scope-effect").textContent = effect.left_out ? word("scope_effect", {left: whole(effect.left_out), hosts: whole(effect.hosts), pages: whole(effect.pages), names: effect.examples.map(name => plain(name, 60)).join(", ")}) : word("scope_no_effect", {hosts: whole(effect.hosts)});
    } catch (problem) { id("scope-effect").textContent = problem.message; }
  });

  if (page.dataset.state === "never") {
    // The page is another one as soon as somebody starts a crawl.
    phasa.listen("/api/crawl/events", {now: now => { if (now.state !== "never") location.reload(); }});
    return;
  }

  // ── charts ──────────────────────────────────────────────────────────────────
  const harvest = new charts.Line(id("chart-harvest"), {y: "percent", top: 1, fromZero: true, height: 280, xName: word("pages_fetched"), yName: word("share_wanted"), label: word("harvest_label"), empty: word("second_sample")});
  const mini = (where, unit, label, more) => new charts.Line(id(where), Object.assign({x: "clock", xName: word("time_of_work"), yName: word(unit), label: word(label)}, more));
  const units = {megabytes: "megabytes", pages_per_second: "a_second", waiting: "waiting", ready_hosts: "ready", words_per_megabyte: "words"};
  const minis = {
    pages_per_second: mini("chart-rate", "a_second", "rate_label"),
    waiting: mini("chart-waiting", "waiting", "waiting_label", {whole: true}),
    ready_hosts: mini("chart-ready", "ready", "ready_label", {whole: true}),
    words_per_megabyte: mini("chart-words", "words", "words_label"),
    megabytes: mini("chart-bytes", "megabytes", "bytes_label"),
  };
  const MOST = 1200;
  let history = null;
  const columns = ["seconds", "pages", "wanted", "harvest_last_100", "pages_per_second", "waiting", "ready_hosts", "words_per_megabyte", "megabytes"];
  const draw = () => {
    if (!history) return;
    const h = history, at = h.pages.map((_, i) => i).filter(i => h.pages[i] > 0);
    harvest.show([
      {name: word("last_100"), kind: "c3", thin: true, points: at.filter(i => h.harvest_last_100[i] !== null).map(i => [h.pages[i], h.harvest_last_100[i]])},
      {name: word("all_pages"), kind: "c1", area: true, points: at.map(i => [h.pages[i], h.wanted[i] / h.pages[i]])},
    ]);
    for (const name in minis) minis[name].show([{name: word(units[name]), kind: "c1", area: true, points: h.seconds.map((s, i) => [s, h[name][i]])}]);
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
  fetch("/api/crawl/history?points=400").then(answer => answer.json()).then(value => { history = value; draw(); }).catch(() => say(word("no_history"), true));

  // ── live ────────────────────────────────────────────────────────────────────
  const names = state => word("s_" + state);
  const figures = now => {
    for (const node of page.querySelectorAll("[data-live]")) {
      const value = now[node.dataset.live], text = value === null || value === undefined ? "–" : shown[node.dataset.live](value);
      if (node.textContent !== text) node.textContent = text;
    }
    const state = id("state");
    state.dataset.state = page.dataset.state = now.state;
    if (state.textContent !== names(now.state)) state.textContent = names(now.state);
    id("when-running").hidden = now.state !== "running";
    id("when-paused").hidden = now.state !== "paused";
    id("when-on").hidden = now.state !== "running" && now.state !== "paused";
    id("when-off").hidden = now.state !== "rest" || page.dataset.mayStart !== "1";
    const fields = {name: now.strategy, done: whole(now.done), limit: whole(now.limits.pages || 0)};
    const running = [word(now.limits.pages ? "running_of" : "running", fields), now.workers > 1 && word("workers", {n: whole(now.workers)}), now.seconds_left && word("left", {time: charts.formats.clock(now.seconds_left)})].filter(Boolean).join(" ");
    const rest = now.ended ? word("ended", {why: plain(now.ended, 200)}) : plain(now.what_next, 200);
    const sub = {running, paused: word("paused"), rest, never: ""}[now.state] + (now.errors.length ? " " + word("trouble", {what: plain(now.errors[0], 200)}) : "");
    if (id("sub").textContent !== sub) id("sub").textContent = sub;
    id("fetching").replaceChildren(...now.fetching.slice(0, 12).map(url => { const row = document.createElement("li"); row.append(link(`/crawl?url=${encodeURIComponent(url)}#story`, url, 200)); return row; }));
    id("fetching-none").hidden = now.fetching.length > 0;
  };
  const link = (where, text, most) => { const node = document.createElement("a"); node.href = where; node.append(address(text, most)); return node; };
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
      cell(row, name === "hosts" ? link(`/collection/pages?by=host&key=${encodeURIComponent(place.name)}`, place.name, most) : address(place.name, most), "wide-cell");
      cell(row, whole(place.pages), "n");
      cell(row, percent(place.harvest, 0), "n");
      const shares = cell(row, bar(place), "wide-cell");
      if (place.languages && place.languages.length) {
        const text = document.createElement("span");
        text.className = "langs";
        text.textContent = place.languages.slice(0, 4).map(l => `${language(l.language)} ${percent(l.share, 0)}`).join(" · ");
        shares.append(text);
      }
      cell(row, size(place.bytes), "n");
    }
    phasa.cards(id(name));
  };
  const tables = found => {
    table("hosts", found.hosts, 80);
    table("segments", found.segments, 100);
    id("counting").hidden = found.counted >= 1;
    id("counted").textContent = percent(found.counted, 0);
    id("counting").querySelector("progress").value = found.counted;
    const levels = id("levels").tBodies[0];
    levels.replaceChildren();
    for (const level of found.levels) {
      const row = levels.insertRow();
      cell(row, whole(level.depth), "n"); cell(row, whole(level.known), "n"); cell(row, whole(level.pages), "n");
      cell(row, level.pages ? percent(level.wanted / level.pages, 0) : "–", "n");
    }
    phasa.cards(id("levels"));
  };
  const log = found => {
    id("log-none").hidden = true;
    for (const line of found.lines) {
      const row = document.createElement("li"), chip = document.createElement("a");
      if (line.bad) row.className = "bad";
      chip.className = "chip";
      chip.href = `/collection/pages?by=status&key=${encodeURIComponent(line.answer)}`;
      chip.textContent = plain(line.bad && !/^[0-9]+$/.test(line.answer) ? line.reason : /^[0-9]+$/.test(line.answer) ? phasa.digits(line.answer) : line.answer, 60);
      row.append(chip, " ", link(`/crawl?url=${encodeURIComponent(line.url)}#story`, line.url, 160));
      if (line.language) { const of = document.createElement("span"); of.className = "note"; of.textContent = " " + language(line.language); row.append(of); }
      id("log").prepend(row);
    }
    while (id("log").children.length > 25) id("log").lastChild.remove();
  };
  let first = true;
  const source = phasa.listen("/api/crawl/events", {log: found => { if (!first || !id("log").children.length) log(found); first = false; }, now: now => { figures(now); append(now); }, tables, estimate: left, problem: problem => say(plain(problem.error, 300), true)});
  source.addEventListener("error", () => { if (source.readyState !== EventSource.OPEN) { id("state").dataset.state = "rest"; id("state").textContent = word("connecting"); } });
});
