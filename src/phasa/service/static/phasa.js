"use strict";
// What every page shares: light or dark, times in the reader's zone, jobs that show their progress. Pages work without it.
const phasa = {
  locale: {fa: "fa-IR-u-nu-arabext", th: "th-TH"}[document.documentElement.lang] || "en-GB",
  words: {},
  // A text of the catalogue's [script] with its fields filled in.
  word(key, fields) { return (this.words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => fields && name in fields ? fields[name] : whole); },
  number(n, digits = 0, least = digits) { return n.toLocaleString(this.locale, {minimumFractionDigits: least, maximumFractionDigits: digits}); },
  digits(text) { return document.documentElement.lang === "fa" ? text.replace(/[0-9]/g, d => "۰۱۲۳۴۵۶۷۸۹"[d]) : text; },
  percent(n, digits) { return this.number(n * 100, digits) + ({fa: "٪", th: "%"}[document.documentElement.lang] ?? " %"); },
  unit(key, text) { return this.word("unit_" + key, {n: text}); },
  size(n) { for (const u of ["B", "kB", "MB", "GB"]) { if (n < 1000) return this.unit(u, this.number(n, u === "B" || n >= 100 ? 0 : 1)); n /= 1000; } return this.unit("TB", this.number(n, 1)); },
  hours(h) { return h >= 48 ? this.unit("days", this.number(h / 24, 1)) : h >= 1 ? this.unit("hours", this.number(h, 1)) : this.unit("minutes", this.number(h * 60, 0)); },
  // POST as JSON; throws an Error with the sentence that the server answered.
  async post(path, body) {
    const answer = await fetch(path, {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body || {})});
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.said || value.error || answer.statusText);
    return value;
  },
  // Server-sent events: handlers by event name. Returns the source; its browser connects again by itself.
  listen(path, handlers) {
    const source = new EventSource(path);
    for (const name in handlers) source.addEventListener(name, event => handlers[name](JSON.parse(event.data)));
    return source;
  },
  // On a phone the rows of a table are cards: each cell must know the name of its column. Roles stay those of a table.
  cards(table) {
    const names = [...table.querySelectorAll("thead th")].map(node => node.textContent.replace(/[↑↓]/g, "").trim());
    table.classList.add("cards-on-phones");
    table.setAttribute("role", "table");
    for (const row of table.rows) {
      row.setAttribute("role", "row");
      [...row.cells].forEach((cell, place) => { cell.setAttribute("role", cell.tagName === "TH" ? "columnheader" : "cell"); if (cell.tagName === "TD" && names[place]) cell.dataset.label = names[place]; });
    }
  },
  times(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (isNaN(at) || time.dataset.done) continue;
      time.dataset.done = "1";
      time.title = time.dateTime;
      time.textContent = at.toLocaleString(this.locale, {dateStyle: "medium", timeStyle: "short"});
    }
  },
};
(() => {
  const root = document.documentElement;
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  if (kept()) root.dataset.theme = kept();
  document.addEventListener("DOMContentLoaded", () => {
    phasa.words = JSON.parse(document.getElementById("words").textContent);
    document.getElementById("theme").addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private window: for this page only */ }
    });
    phasa.times(document);
    for (const table of document.querySelectorAll("main table")) phasa.cards(table);
    // Of the sizes that were estimated, that of what is chosen.
    for (const form of document.querySelectorAll("form[data-sizes]")) {
      const choose = () => {
        const chosen = [form.elements.language.value, ...["clean", "repeats"].filter(name => form.elements[name]?.checked)].join(" ");
        for (const size of form.querySelectorAll("[data-of]")) size.hidden = size.dataset.of !== chosen;
      };
      form.addEventListener("change", choose);
      choose();
    }
    for (const job of document.querySelectorAll("[data-job]")) {
      if (job.dataset.state !== "waiting" && job.dataset.state !== "running") continue;
      const bar = job.querySelector("progress"), state = job.querySelector(".state");
      const source = phasa.listen(`/api/jobs/${job.dataset.job}/events`, {
        job: now => {
          state.textContent = (now.state === "waiting" || now.state === "running" ? phasa.word(now.state + "_job") : now.state) + (now.message ? ": " + now.message : "") + (now.total ? ` ${phasa.number(now.done)} / ${phasa.number(now.total)}` : "");
          if (bar && now.total) { bar.max = now.total; bar.value = now.done; }
          if (["done", "failed", "stopped"].includes(now.state)) { source.close(); location.reload(); }
        },
      });
    }
  });
})();
