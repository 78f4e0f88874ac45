// The document in the page, read when something of it is first wanted.

const MUTED = 1, CODE = 2, SIMULATED = 4, NUMERIC = 8;

let parsed = null;
function pages() {
  parsed ||= JSON.parse(document.getElementById("pages").textContent);
  return parsed;
}

const string = (place) => pages().strings[place];

/** A coded table as an element like those that stand in the page. */
function tableBox(coded, key) {
  const [id, title, caption, columns, rows, notes, remarks, heads] = coded;
  const head = columns.map(([label, unit, flags]) =>
    make(
      "th",
      { scope: "col", class: flags & NUMERIC ? "num" : "" },
      flags & CODE ? make("code", {}, string(label)) : string(label),
      string(unit) ? make("small", {}, " ", string(unit)) : "",
    ),
  );
  const body = rows.map((row) =>
    make("tr", {}, row.map((value, n) => place(value, n < heads, columns[n][2] & NUMERIC))),
  );
  const box = make(
    "div",
    { class: "table", id: string(id) },
    make("h2", {}, prose(string(title))),
    make(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": string(title) },
      make(
        "table",
        { class: "wide" },
        make("caption", {}, make("span", {}, prose(string(caption)))),
        make("thead", {}, make("tr", {}, head)),
        make("tbody", {}, body),
      ),
    ),
    notes.length ? make("ol", { class: "notes" }, notes.map((note) => make("li", {}, prose(string(note))))) : "",
    remarks.map((remark) => make("p", { class: "remark" }, prose(string(remark)))),
  );
  enhance(box, key);
  return box;
}

function place(value, isHead, isNumber) {
  const [text, flags = 0, interval = 0, n = 0, notes = [], link = 0] = Array.isArray(value) ? value : [value];
  const shown = flags & CODE ? make("code", {}, string(text)) : make("span", { class: "v" }, string(text));
  return make(
    isHead ? "th" : "td",
    {
      scope: isHead ? "row" : "",
      class: [isNumber ? "num" : "", flags & MUTED ? "muted" : "", string(text).length > 48 ? "long" : ""].filter(Boolean).join(" "),
    },
    link ? make("a", { class: "to", href: `#${string(link)}` }, shown) : shown,
    notes.length ? make("sup", {}, notes.join(",")) : "",
    flags & SIMULATED ? mark() : "",
    interval ? make("small", {}, string(interval)) : "",
    n ? make("small", {}, string(n)) : "",
  );
}

const mark = () => make("abbr", { class: "sim", title: "simulated answers" }, "\u00a0◇");
