// A suite item by item, and one item with everybody's answers: #rows/suite/slot and #row/suite/slot/item/permutation

const PAGE = 100; // rows that are shown at once

/** The columns of a suite's slot, its only one by default. */
function rowsOf(suite, slot) {
  const slots = pages().rows[suite];
  const name = slots && (slots[slot] ? slot : Object.keys(slots)[0]);
  return name ? { slot: name, ...slots[name] } : null;
}

/** What one contender made of one row: its answer, confidence, outcome and whether that is right. */
function answerOf(found, contender, n) {
  const [choices, confidences, outcomes] = found.answers[contender];
  if (outcomes[n] === -1) return null;
  const digit = (text, width) => parseInt(text.slice(width * n, width * (n + 1)), 36) - 1;
  const [choice, confidence] = [digit(choices, found.digits[0]), digit(confidences, found.digits[1])];
  const gold = found.rows[n][2];
  const outcome = pages().outcomes[outcomes[n] || 0];
  return {
    value: choice < 0 ? "" : string(found.values[choice]),
    confidence: confidence < 0 ? "" : (confidence / 1000).toFixed(3),
    outcome,
    right: outcome === "valid" && gold >= 0 && found.values[choice] === gold,
    judged: gold >= 0,
  };
}

function rowsView([, suite, slot], state) {
  const found = rowsOf(suite, slot);
  if (!found) return null;
  const contenders = Object.keys(found.answers);
  const listed = found.rows.map(([item, permutation, gold, text], n) => {
    const answers = contenders.map((c) => answerOf(found, c, n)).filter(Boolean);
    const right = answers.filter((answer) => answer.right).length;
    return { n, item: string(item), permutation, gold: gold < 0 ? "" : string(gold), text: text < 0 ? "" : string(text), right, asked: answers.length, differ: new Set(answers.map((a) => a.value)).size > 1 };
  });
  const kinds = {
    every: ["All items", () => true],
    none: ["Nobody right", (row) => row.gold && !row.right],
    some: ["Some right", (row) => row.right > 0 && row.right < row.asked],
    all: ["Everybody right", (row) => row.asked && row.right === row.asked],
    differ: ["Answers differ", (row) => row.differ],
  };
  const find = make("input", { type: "search", placeholder: "Filter by id, text or option", "aria-label": "Filter items" });
  const kind = make("select", { "aria-label": "Which items" }, Object.entries(kinds).map(([key, [name]]) => make("option", { value: key }, name)));
  find.value = state.get("find") || "";
  kind.value = state.get("show") in kinds ? state.get("show") : "every";
  const body = make("tbody");
  const said = make("p", { class: "said", role: "status" });
  const more = make("button", { type: "button", class: "more" }, `Show ${PAGE} more`);
  const withText = listed.some((row) => row.text);
  const permuted = listed.some((row) => row.permutation);
  let shown = PAGE;

  function draw() {
    const wanted = find.value.toLowerCase().trim();
    const fits = kinds[kind.value][1];
    const rows = listed.filter((row) => fits(row) && (!wanted || `${row.item} ${row.text} ${row.gold}`.toLowerCase().includes(wanted)));
    body.replaceChildren(
      ...rows.slice(0, shown).map((row) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, make("a", { class: "to", href: `#${address.of(["row", suite, found.slot, row.item, row.permutation])}` }, make("code", {}, row.item)), permuted && row.permutation ? make("small", {}, `order ${row.permutation}`) : ""),
          withText ? make("td", { class: "text" }, row.text.length > 140 ? `${row.text.slice(0, 139)}…` : row.text) : "",
          make("td", row.gold ? {} : { class: "muted" }, row.gold || "no answer is right"),
          make("td", { class: "num" }, row.gold ? `${row.right} / ${row.asked}` : "–"),
        ),
      ),
    );
    said.textContent = `${rows.length} of ${listed.length} ${listed.length === 1 ? "item" : "items"}`;
    more.hidden = rows.length <= shown;
  }
  for (const [field, key] of [[find, "find"], [kind, "show"]]) {
    field.addEventListener("input", () => {
      shown = PAGE;
      draw();
      address.set(key, field.value === "every" ? "" : field.value);
    });
  }
  more.addEventListener("click", () => {
    shown += PAGE;
    draw();
  });
  draw();
  const heads = ["Item", ...(withText ? ["Text"] : []), "Right option"].map((name) => make("th", { scope: "col" }, name));
  return {
    title: `${suite} item by item`,
    nodes: [
      make("p", { class: "back" }, make("a", { href: "#items" }, "All results")),
      make("h1", { tabindex: "-1" }, suite, " item by item"),
      make("p", { class: "tools fields" }, find, kind),
      said,
      make(
        "div",
        { class: "table", id: `rows-${suite}` },
        make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Items" },
          make("table", { class: "wide rows" },
            make("caption", {}, make("span", {}, withText ? "Contenders that were right, of those that were asked." : "Contenders that were right, of those that were asked. The texts of this suite are not published; items are named by id.")),
            make("thead", {}, make("tr", {}, heads, make("th", { scope: "col", class: "num" }, "Right / asked"))),
            body)),
        more,
      ),
      make("p", { class: "stamp" }, pages().stamp),
    ],
  };
}

function rowView([, suite, slot, item, permutation = "0"]) {
  const found = rowsOf(suite, slot);
  const n = found ? found.rows.findIndex((row) => string(row[0]) === item && row[1] === Number(permutation)) : -1;
  if (n < 0) return null;
  const [, , gold, text] = found.rows[n];
  const options = new Map();
  const coded = found.options ? found.options[n] : [];
  for (let k = 0; k < coded.length; k += 2) options.set(string(coded[k]), string(coded[k + 1]));
  const option = (id) => [make("code", {}, id), options.has(id) ? make("small", { class: "wrap" }, options.get(id)) : ""];
  const rows = Object.keys(found.answers).map((contender) => {
    const answer = answerOf(found, contender, n);
    if (!answer) return "";
    const verdict = answer.outcome !== "valid" ? answer.outcome : !answer.judged ? "–" : answer.right ? "right" : "wrong";
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("a", { class: "to", href: `#${address.of(["cell", contender, suite])}` }, make("span", { class: "v" }, labelOf(contender))), pages().cells[`${contender}/${suite}`][2] ? mark() : ""),
      make("td", {}, answer.value ? option(answer.value) : make("span", { class: "v" }, "–")),
      make("td", { class: "num" }, make("span", { class: "v" }, answer.confidence || "–")),
      make("td", { class: answer.right ? "right" : "muted" }, make("span", { class: "v" }, verdict)),
    );
  });
  const box = make(
    "div",
    { class: "table", id: `row-${suite}` },
    make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Answers" },
      make("table", { class: "wide" },
        make("caption", {}, make("span", {}, "First answers of everybody that was asked.")),
        make("thead", {}, make("tr", {},
          make("th", { scope: "col" }, "Contender"), make("th", { scope: "col" }, "Answer"),
          make("th", { scope: "col", class: "num" }, "Confidence"), make("th", { scope: "col" }, "Verdict"))),
        make("tbody", {}, rows))),
  );
  enhance(box);
  const step = (by, name) => {
    const other = found.rows[n + by];
    return other ? make("a", { href: `#${address.of(["row", suite, found.slot, string(other[0]), other[1]])}` }, name) : "";
  };
  return {
    title: `${item} of ${suite}`,
    nodes: [
      make("p", { class: "back" }, make("a", { href: `#${address.of(["rows", suite, found.slot])}` }, `${suite} item by item`), step(-1, "Previous"), step(1, "Next")),
      make("h1", { tabindex: "-1" }, make("span", { class: "on" }, item), Number(permutation) ? ` in order ${permutation}` : ""),
      text < 0 ? make("p", { class: "muted" }, "The texts of this suite are not published.") : make("blockquote", {}, string(text)),
      make("p", {}, "Right option: ", ...(gold < 0 ? ["none; no answer is right here."] : option(string(gold)))),
      box,
      make("p", { class: "stamp" }, pages().stamp),
    ],
  };
}
