// Elements are made, never parsed: a text of the data stays a text, whatever it holds.
function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// An attribute that is null, undefined or false is left out; a function is a listener: {onclick: f}.
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

// One table; a cell is a text or a node. The first column heads its row. It scrolls by itself where the screen is narrow. Roles are
// said because the style sheet lays its rows out as lines there, and would take them away.
function table(caption, heads, rows) {
  const head = (text) => element("th", { scope: "col", role: "columnheader" }, text);
  const cell = (content, i) => i === 0 ? element("th", { scope: "row", role: "rowheader", "data-head": heads[i] }, content) :
    element("td", { role: "cell", "data-head": heads[i] }, content);
  return element("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": caption },
    element("table", { role: "table" },
      element("caption", {}, caption),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, heads.map(head))),
      element("tbody", { role: "rowgroup" }, rows.map((cells) => element("tr", { role: "row" }, cells.map(cell))))));
}

function section(id, title, ...children) {
  return element("section", { id, "aria-labelledby": id + "-title" },
    element("h2", { id: id + "-title", tabindex: "-1" }, title), children);
}

function say(text) {
  document.getElementById("said").textContent = text;
}

function counted(count, thing) {
  return `${count.toLocaleString("en")} ${count === 1 ? thing : thing + "s"}`;
}
