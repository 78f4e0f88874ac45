// One cell with all its numbers: #cell/contender/suite

function cellView([, contender, suite]) {
  const found = pages().cells[`${contender}/${suite}`];
  if (!found) return null;
  const [facts, tables, simulated] = found;
  const label = labelOf(contender);
  const chart = document.getElementById(`reliability-${contender}-${suite}`);
  return {
    title: `${label} on ${suite}`,
    nodes: [
      make("p", { class: "back" }, make("a", { href: "#overview" }, "All results")),
      make("h1", { tabindex: "-1" }, label, " on ", make("span", { class: "on" }, suite), simulated ? mark() : ""),
      make("dl", { class: "facts" }, facts.map(([name, text]) => make("div", {}, make("dt", {}, string(name)), make("dd", {}, string(text))))),
      tables.map((coded) => tableBox(coded)),
      chart ? make("figure", { class: "alone" }, copyOf(chart)) : "",
      make(
        "p",
        { class: "onwards" },
        pages().rows[suite] ? make("a", { href: `#${address.of(["rows", suite])}` }, "The suite item by item") : "",
      ),
      make("p", { class: "stamp" }, pages().stamp),
    ].flat(),
  };
}

function labelOf(contender) {
  const found = pages().contenders.find(([id]) => id === contender);
  return found ? found[1] : contender;
}

function copyOf(drawing) {
  const copy = drawing.cloneNode(true);
  copy.removeAttribute("id");
  return copy;
}
