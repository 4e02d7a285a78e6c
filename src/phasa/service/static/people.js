"use strict";
// A token is shown once, on the page that made it, and never in an address.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form[data-token]");
  if (!form) return;
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const made = document.getElementById("made");
    try {
      const answer = await phasa.post(form.getAttribute("action"), {person: form.person.value, role: form.role.value, days: Number(form.days.value), about: form.about.value});
      const code = document.createElement("code");
      code.textContent = answer.token;
      made.replaceChildren(phasa.word("token_made") + " ", code);
    } catch (problem) { made.textContent = problem.message; }
  });
});
