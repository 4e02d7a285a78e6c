"use strict";
// What every page shares: light or dark, times in the reader's zone, jobs that show their progress. Pages work without it.
const phasa = {
  // POST as JSON; throws an Error with the sentence that the server answered.
  async post(path, body) {
    const answer = await fetch(path, {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body || {})});
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.error || answer.statusText);
    return value;
  },
  // Server-sent events: handlers by event name. Returns the source; its browser connects again by itself.
  listen(path, handlers) {
    const source = new EventSource(path);
    for (const name in handlers) source.addEventListener(name, event => handlers[name](JSON.parse(event.data)));
    return source;
  },
  times(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (isNaN(at) || time.dataset.done) continue;
      time.dataset.done = "1";
      time.title = time.dateTime;
      time.textContent = at.toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"});
    }
  },
};
(() => {
  const root = document.documentElement;
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  if (kept()) root.dataset.theme = kept();
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("theme").addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private window: for this page only */ }
    });
    phasa.times(document);
    for (const job of document.querySelectorAll("[data-job]")) {
      if (job.dataset.state !== "waiting" && job.dataset.state !== "running") continue;
      const bar = job.querySelector("progress"), state = job.querySelector(".state");
      const source = phasa.listen(`/api/jobs/${job.dataset.job}/events`, {
        job: now => {
          state.textContent = now.state + (now.message ? ": " + now.message : "");
          if (bar && now.total) { bar.max = now.total; bar.value = now.done; }
          if (["done", "failed", "stopped"].includes(now.state)) { source.close(); location.reload(); }
        },
      });
    }
  });
})();
