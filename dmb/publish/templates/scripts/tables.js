// Tables that can be sorted, filtered and taken along.

const LONG = 10; // rows from which a table gets a field to filter them

/** What a place says before its interval, its n and its marks. */
function shownText(cell) {
  if (!cell) return "";
  const named = cell.querySelector(".v, code, a");
  if (named) return named.textContent.trim();
  const text = [...cell.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
  return text ? text.textContent.trim() : "";
}

/** Makes one table sortable; `key` names it in the address, and nothing is remembered without. */
function enhance(box, key = "") {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const original = [...rows];
  const heads = [...table.tHead.rows[0].cells];
  const grouped = rows.some((row) => row.matches(".first, .same"));
  let sorted = "";

  function sort(by) {
    sorted = by;
    const column = Math.abs(Number(by)) - 1;
    const down = by.startsWith("-");
    heads.forEach((head, n) => {
      if (by && n === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const order = by && heads[column] ? inOrder(original, column, down) : original;
    table.tBodies[0].append(...order);
    if (grouped) regroup(order);
  }

  heads.forEach((head, n) => {
    const button = make("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const firstDown = head.classList.contains("num");
      const steps = firstDown ? [`-${n + 1}`, `${n + 1}`, ""] : [`${n + 1}`, `-${n + 1}`, ""];
      sort(steps[(steps.indexOf(sorted) + 1) % 3]);
      if (key) address.set(`${key}.sort`, sorted);
    });
  });

  const apart = box.querySelector(".toggle input");
  if (apart) apart.addEventListener("input", () => address.set(`${key}.apart`, apart.checked ? "1" : ""));

  const tools = make("p", { class: "tools" });
  let find = null;
  if (key && rows.length >= LONG) {
    const name = box.querySelector("h3, caption").textContent.trim();
    find = make("input", { type: "search", placeholder: "Filter rows", "aria-label": `Filter rows of ${name}` });
    find.addEventListener("input", () => {
      filter(find.value);
      address.set(`${key}.find`, find.value);
    });
    tools.append(find);
  }
  for (const kind of ["CSV", "JSON"]) {
    const button = make("button", { type: "button", class: "take", "aria-label": `This table as ${kind}` }, kind);
    button.addEventListener("click", () => download(box, kind));
    tools.append(button);
  }
  table.closest(".scroll").after(tools);

  function filter(text) {
    const wanted = text.toLowerCase().trim();
    for (const row of original) row.classList.toggle("filtered", !row.textContent.toLowerCase().includes(wanted));
    if (grouped) regroup([...table.tBodies[0].rows]);
  }

  return {
    key,
    restore(state) {
      if (apart) apart.checked = state.get(`${key}.apart`) === "1";
      const by = state.get(`${key}.sort`) || "";
      if (by !== sorted) sort(/^-?[1-9]\d?$/.test(by) ? by : "");
      const text = state.get(`${key}.find`) || "";
      if (find && find.value !== text) {
        find.value = text;
        filter(text);
      }
    },
  };
}

/** What has no number stands last whichever way the others are sorted; equal rows keep their order. */
function inOrder(rows, column, down) {
  const keyed = rows.map((row) => {
    const text = shownText(row.cells[column]);
    return { row, text, number: numeric(text), nothing: isNothing(text) || row.matches(".off") };
  });
  keyed.sort((a, b) => {
    if (a.nothing !== b.nothing) return a.nothing ? 1 : -1;
    const sign = down ? -1 : 1;
    if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return sign * (a.number - b.number);
    return sign * a.text.localeCompare(b.text, "en");
  });
  return keyed.map((entry) => entry.row);
}

/** Names a group once where its rows still stand together. */
function regroup(rows) {
  let before = null;
  for (const row of rows) {
    if (row.matches(".filtered, .elsewhere")) continue;
    const name = shownText(row.cells[0]);
    row.classList.toggle("first", name !== before);
    row.classList.toggle("same", name === before);
    before = name;
  }
}

/** Shows the rows of contenders whose name has one of the words between commas; other rows stay. */
function onlyContenders(text, labels) {
  const words = text.toLowerCase().split(",").map((word) => word.trim()).filter(Boolean);
  for (const row of document.querySelectorAll("main section > .table tbody tr")) {
    const name = [...row.querySelectorAll("th")].map(shownText).find((label) => labels.has(label));
    row.classList.toggle("elsewhere", Boolean(words.length && name && !words.some((w) => name.toLowerCase().includes(w))));
  }
}
