// A table as a file, made from what stands in it.

function download(box, kind) {
  const name = `${pages().release}.${box.id}.${kind.toLowerCase()}`;
  const text = kind === "CSV" ? asCsv(box) : asJson(box);
  const url = URL.createObjectURL(new Blob([text], { type: kind === "CSV" ? "text/csv" : "application/json" }));
  const link = make("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Columns with their names, and rows of plain values: an interval is two columns more, n one. */
function plainTable(box) {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows].filter((row) => !row.matches(".filtered, .elsewhere"));
  const columns = [...table.tHead.rows[0].cells].map((head) => head.innerText.replace(/\s+/g, " ").trim());
  const found = rows.map((row) => [...row.cells].map(parts));
  const has = columns.map((_, n) => (part) => found.some((cells) => cells[n] && part in cells[n]));
  const names = columns.flatMap((name, n) => [
    name,
    ...["low", "high", "n"].filter(has[n]).map((part) => `${name}: ${part}`),
  ]);
  const values = found.map((cells) =>
    columns.flatMap((_, n) => [
      cells[n] ? cells[n].value : null,
      ...["low", "high", "n"].filter(has[n]).map((part) => (cells[n] && part in cells[n] ? cells[n][part] : null)),
    ]),
  );
  return { names, values };
}

function parts(cell) {
  const text = shownText(cell);
  const ratio = text.includes(" / ");
  const made = { value: isNothing(text) ? null : ratio || Number.isNaN(plainNumber(text)) ? text : plainNumber(text) };
  for (const small of cell.querySelectorAll("small")) {
    const said = small.textContent.trim();
    const both = said.match(/^\[(.+), (.+)\]$/);
    if (both) [made.low, made.high] = both.slice(1).map(plainNumber);
    else if (said.startsWith("≤")) made.high = plainNumber(said.slice(1));
    else if (said.startsWith("≥")) made.low = plainNumber(said.slice(1));
    else if (/^n [\d,]+/.test(said)) made.n = plainNumber(said.match(/^n ([\d,]+)/)[1]);
  }
  return made;
}

const plainNumber = (text) => Number(text.replace(/,/g, "").trim() || NaN);

function asCsv(box) {
  const { names, values } = plainTable(box);
  const field = (value) => {
    if (value === null) return "";
    let text = String(value);
    // a spreadsheet must not take a name for a formula
    if (typeof value === "string" && /^[=+@-]/.test(text)) text = `'${text}`;
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return [names, ...values].map((row) => `${row.map(field).join(",")}\n`).join("");
}

function asJson(box) {
  const { names, values } = plainTable(box);
  const all = (selector) => [...box.querySelectorAll(selector)].map((element) => element.textContent.trim());
  const made = {
    table: box.id,
    title: all("h3")[0] || all("caption")[0],
    caption: all("caption")[0],
    stamp: pages().stamp,
    rows: values.map((row) => Object.fromEntries(row.map((value, n) => [names[n], value]))),
    notes: all(".notes li, .remark"),
  };
  return `${JSON.stringify(made, null, 1)}\n`;
}
