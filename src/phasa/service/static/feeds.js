"use strict";
// The Feeds pages: the dial of the budget, the curve of one feed, forms without leaving the page. All works without it, but the dial.
document.addEventListener("DOMContentLoaded", () => {
  const id = name => document.getElementById(name);
  const hours = h => phasa.hours(h), word = (key, fields) => phasa.word(key, fields);
  charts.formats.hours = h => h >= 10 && h < 48 ? phasa.unit("hours", phasa.number(h)) : hours(h);
  charts.formats.polls = n => n >= 10 ? phasa.number(n) : phasa.number(n, 1, 0);
  const read = name => { const node = id(name); return node ? JSON.parse(node.textContent) : []; };

  // ── forms ───────────────────────────────────────────────────────────────────
  const say = (text, bad) => { const box = id("message"); box.textContent = text; box.classList.toggle("bad", !!bad); box.hidden = !text; box.scrollIntoView({block: "nearest"}); };
  for (const form of document.querySelectorAll("form[data-form]")) form.addEventListener("submit", async event => {
    event.preventDefault();
    const body = {}, button = form.querySelector("button");
    for (const field of form.querySelectorAll("input[name]:not([type=hidden]), textarea")) if (field.value.trim()) body[field.name] = field.value;
    button.disabled = true;
    try {
      const answer = await phasa.post(form.getAttribute("action"), body);
      if (form.dataset.form === "add" && !answer.added) say(word("known_feed", {url: answer.url}));
      else if (form.dataset.form === "import" && !answer.added) say(word("imported", {known: phasa.number(answer.known), passed: phasa.number(answer.passed_over.length)}));
      else location.assign("/feeds");
      form.reset();
    } catch (problem) { say(problem.message, true); }
    button.disabled = false;
  });
  const file = id("opml-file");
  if (file) file.addEventListener("change", async () => { if (file.files[0]) document.querySelector("textarea[name=opml]").value = await file.files[0].text(); });

  // ── marks of posts ──────────────────────────────────────────────────────────
  const mark = async (post, name, on) => { await phasa.post("/api/posts/mark", {number: Number(post.dataset.post), [name]: on}); if (name === "read") post.classList.toggle("read", on); const button = post.querySelector(`[data-mark=${name}]`); if (button) button.setAttribute("aria-pressed", String(on)); };
  for (const button of document.querySelectorAll("button[data-mark]")) button.addEventListener("click", async () => {
    try { await mark(button.closest("[data-post]"), button.dataset.mark, button.getAttribute("aria-pressed") !== "true"); } catch (problem) { say(problem.message, true); }
  });
  for (const link of document.querySelectorAll("[data-post] a.title")) link.addEventListener("click", () => { mark(link.closest("[data-post]"), "read", true).catch(() => {}); });

  // ── one feed ────────────────────────────────────────────────────────────────
  const feed = id("feed-page");
  if (feed) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone, here = new URL(location.href);
    if (!here.searchParams.has("zone") && zone && zone !== "UTC" && zone !== feed.dataset.zone) { here.searchParams.set("zone", zone); location.replace(here); return; }
    const curve = read("feed-data");
    if (curve.length) new charts.Line(id("chart-feed"), {x: "polls", y: "hours", xName: word("polls_a_day"), yName: word("delay"), height: 220, log: true, label: word("feed_label")}).show([
      {name: word("evenly"), kind: "c7", dashed: true, points: curve.map(p => [p.polls_per_day, p.even_delay])},
      {name: word("planned"), kind: "c1", area: true, points: curve.map(p => [p.polls_per_day, p.expected_delay])},
    ]);
  }

  // ── the dial ────────────────────────────────────────────────────────────────
  const dial = id("dial"), curve = read("dial-data");
  if (!dial || curve.length < 2) return;
  const now = Number(dial.dataset.now), least = Math.log(curve[0].polls_per_day), most = Math.log(curve[curve.length - 1].polls_per_day);
  const chart = new charts.Line(id("chart-dial"), {x: "polls", y: "hours", xName: word("polls_a_day"), yName: word("delay"), height: 240, log: true, label: word("feed_label")});
  // Between two points of the curve: straight on logarithmic paper, where it nearly is.
  const between = (budget, name) => {
    const x = Math.log(budget);
    let i = 1;
    while (i < curve.length - 1 && Math.log(curve[i].polls_per_day) < x) i++;
    const [a, b] = [curve[i - 1], curve[i]], [u, v] = [Math.log(a.polls_per_day), Math.log(b.polls_per_day)];
    const share = Math.max(0, Math.min(1, (x - u) / (v - u)));
    return Math.exp(Math.log(a[name]) * (1 - share) + Math.log(b[name]) * share);
  };
  const slider = id("budget"), command = id("dial-command").textContent;
  const round = n => n >= 100 ? Math.round(n / 10) * 10 : n >= 10 ? Math.round(n) : Math.max(0.1, Math.round(n * 10) / 10);
  // Where the dial stands at first: at the polls of now, as nearly as it can be set; at its end where they are beyond it.
  const start = now > 0 ? Math.min(most, Math.max(least, Math.log(now))) : Math.log(curve[4].polls_per_day), begin = Math.round((start - least) / (most - least) * 1000);
  const budgetOf = value => round(Math.exp(least + (most - least) * value / 1000));
  const knob = budget => {
    chart.svg.querySelectorAll(".knob-line, .knob-dot").forEach(node => node.remove());
    if (!chart.scale) return;
    const {X, Y, box} = chart.scale, x = X(Math.max(chart.scale.least, Math.min(chart.scale.most, budget)));
    chart.svg.append(charts.make("line", {class: "knob-line", x1: x, x2: x, y1: box.top, y2: box.bottom}), charts.make("circle", {class: "knob-dot", cx: x, cy: Y(between(budget, "expected_delay")), r: 5.5}));
  };
  const turn = () => {
    const budget = budgetOf(Number(slider.value)), delay = between(budget, "expected_delay"), even = between(budget, "even_delay");
    id("budget-shown").textContent = charts.formats.polls(budget);
    slider.setAttribute("aria-valuetext", word("dial_value", {polls: charts.formats.polls(budget), delay: hours(delay)}));
    let says = word("dial_says", {delay: hours(delay), less: hours(Math.max(0, even - delay))});
    if (now > 0) {
      const today = between(Math.max(now, curve[0].polls_per_day), "expected_delay"), change = delay - today;
      const key = `dial_${budget > now ? "more" : "fewer"}_${change < 0 ? "sooner" : "later"}`;
      says += " " + ((start === Math.log(now) && budget === budgetOf(begin)) || Math.abs(budget - now) / now < 0.03 ? word("dial_same") : word(key, {n: charts.formats.polls(Math.abs(budget - now)), time: hours(Math.abs(change))}));
    }
    id("dial-says").textContent = says;
    id("dial-command").textContent = `${command} --per-day ${budget}`;
    knob(budget);
  };
  chart.show([
    {name: word("evenly"), kind: "c7", dashed: true, points: curve.map(p => [p.polls_per_day, p.even_delay])},
    {name: word("planned"), kind: "c1", area: true, points: curve.map(p => [p.polls_per_day, p.expected_delay])},
  ]);
  const drawn = chart.draw.bind(chart);
  chart.draw = () => { drawn(); knob(budgetOf(Number(slider.value))); };
  slider.value = begin;
  slider.addEventListener("input", turn);
  turn();
});
