// Elements, and texts of ours in which backticks mark code.

/** An element with attributes and children; a child that is a string becomes text, never markup. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== "") element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== ""));
  return element;
}

function prose(text) {
  return text.split("`").map((part, n) => (n % 2 ? make("code", {}, part) : part));
}

/** The number that a place in a table is sorted by: a ratio for `280 / 300`, NaN where there is none. */
function numeric(text) {
  const plain = text.replace(/,/g, "").trim();
  const ratio = plain.match(/^(\d+) \/ (\d+)$/);
  if (ratio) return Number(ratio[2]) ? ratio[1] / ratio[2] : NaN;
  const found = plain.match(/^(?:at least |[≤≥<] ?)?([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:–\d+)?$/i);
  return found ? Number(found[1]) : NaN;
}

const isNothing = (text) => ["", "–", "n/a", "unknown", "not billed"].includes(text);
