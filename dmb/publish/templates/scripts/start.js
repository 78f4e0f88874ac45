// Which view the address asks for.

const views = { cell: cellView, rows: rowsView, row: rowView };
const view = document.getElementById("view");
const home = document.title;
const tables = [...document.querySelectorAll("main section > .table")].map((box) => enhance(box, box.id));

const labels = new Set(pages().contenders.map(([, label]) => label));
const only = make("input", { type: "search", id: "only", placeholder: "Filter contenders", "aria-label": "Show only contenders whose name has this; several between commas" });
only.addEventListener("input", () => {
  onlyContenders(only.value, labels);
  address.set("only", only.value);
});
document.querySelector("nav").prepend(only);

let last = new URLSearchParams();

function show() {
  const { place, state } = address.read();
  const made = views[place[0]] && views[place[0]](place, state);
  document.body.classList.toggle("viewing", Boolean(made));
  view.hidden = !made;
  if (made) {
    view.replaceChildren(...made.nodes);
    document.title = `${made.title} · ${home}`;
    scrollTo(0, 0);
    view.querySelector("h1").focus({ preventScroll: true });
    return;
  }
  view.replaceChildren();
  document.title = home;
  // a link to a section names no state: what was sorted stays sorted, and the address says so again
  if (!location.hash.includes("?") && last.size) address.replace(place, last);
  else restore(state);
  const target = document.getElementById(place.join("/"));
  if (target) target.scrollIntoView();
}

function restore(state) {
  for (const table of tables) table.restore(state);
  only.value = state.get("only") || "";
  onlyContenders(only.value, labels);
}

document.addEventListener("input", remember);
document.addEventListener("click", remember);
function remember() {
  if (view.hidden) last = address.read().state;
}

addEventListener("hashchange", show);
show();
remember();
document.documentElement.classList.add("ready");
