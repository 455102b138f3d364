// Behaviour of the answer, the comparison and the memories in the browser. `element` is the part
// of the page, `trigger` sends an event to the server.

const show = (chosen) => {
  const answer = chosen.closest(".answer");
  for (const button of answer.querySelectorAll(".statement")) {
    const evidence = answer.querySelector("#" + button.getAttribute("aria-controls"));
    button.setAttribute("aria-expanded", String(button === chosen));
    evidence.hidden = button !== chosen;
    if (button === chosen) toMark(evidence);
  }
};

const toMark = (evidence) => {
  for (const box of evidence.querySelectorAll("blockquote")) {
    const mark = box.querySelector("mark");
    if (mark) box.scrollTop = mark.offsetTop - 48;
  }
};

const act = (button) => {
  if (button.dataset.sure && !window.confirm(button.dataset.sure)) return;
  const memory = button.closest("[data-id]");
  const field = memory?.querySelector("textarea");
  trigger("click", {
    act: button.dataset.act,
    id: memory?.dataset.id ?? "",
    text: button.dataset.text ?? field?.value ?? "",
  });
};

const alike = (card) => {
  for (const other of element.querySelectorAll("[data-passage]")) {
    other.classList.toggle("same", !!card && other.dataset.passage === card.dataset.passage);
  }
};

element.addEventListener("click", (event) => {
  const statement = event.target.closest(".statement");
  if (statement) show(statement);
  const button = event.target.closest("[data-act]");
  if (button) act(button);
});

element.addEventListener("focusin", (event) => {
  if (event.target.matches(".statement:focus-visible")) show(event.target);
  alike(event.target.closest("[data-passage]"));
});

element.addEventListener("mouseover", (event) => alike(event.target.closest("[data-passage]")));

watch("value", () => {
  // A field that the user has edited keeps its text when the underlying text changes.
  for (const field of element.querySelectorAll("textarea")) field.value = field.defaultValue;
  element.querySelectorAll(".evidence:not([hidden])").forEach(toMark);
});
