// The pair matrix as a grid: the row is applied first. One tab stop; arrow keys, Home and End move, Enter opens the run.
let heatBuild = data.builds.find((build) => build.target === data.target && build.pairs.names.length > 0) ||
  data.builds.find((build) => build.pairs.names.length > 0);

function heatSection() {
  if (!heatBuild) return null;
  const choice = element("select", { id: "heat-build", onchange: (event) => {
    heatBuild = data.builds[Number(event.target.value)];
    grid.replaceChildren(...heatGrid());
    say(`Pairs on ${heatBuild.title}`);
  } }, data.builds.map((build, i) => build.pairs.names.length === 0 ? null :
    element("option", { value: String(i), selected: build === heatBuild }, build.title)));
  const grid = element("div", {}, heatGrid());
  return section("pairs", "Every pair, run in both orders",
    element("p", {}, "The row is applied first, then the column, nothing else; with another trainer where a page says that the ",
      "default one is wrong. A cell opens its run."),
    element("p", { class: "field" }, element("label", { for: "heat-build" }, "Engine and version"), choice),
    element("ul", { class: "legend", "aria-label": "Signs" }, Object.entries(pairSigns).map(([sign, { tone, says }]) =>
      element("li", {}, element("span", { class: "swatch " + tone, "aria-hidden": "true" }, sign), says))),
    grid);
}

function heatGrid() {
  const { names, rows } = heatBuild.pairs;
  const cells = [];
  const body = rows.map((row, y) => element("tr", { role: "row" },
    element("th", { scope: "row", role: "rowheader" }, names[y]),
    row.map((cell, x) => {
      const node = heatCell(cell, names[y], names[x], x === y);
      (cells[y] ||= []).push(node);
      return node;
    })));
  const whole = element("table", { class: "heat", role: "grid", "aria-label": "Pairs on " + heatBuild.title },
    element("thead", { role: "rowgroup" }, element("tr", { role: "row" },
      element("th", { role: "columnheader", scope: "col" }, "first ↓", element("br"), "second →"),
      names.map((name) => element("th", { role: "columnheader", scope: "col" }, element("span", {}, name))))),
    element("tbody", { role: "rowgroup" }, body));
  cells[0][0].setAttribute("tabindex", "0");
  whole.addEventListener("keydown", (event) => moveInGrid(event, cells));
  whole.addEventListener("focusin", (event) => {
    for (const node of cells.flat()) node.setAttribute("tabindex", node === event.target ? "0" : "-1");
  });
  return [element("div", { class: "scroll" }, whole)];
}

function heatCell([sign, index], first, second, diagonal) {
  if (diagonal)
    return element("td", { role: "gridcell", tabindex: "-1", class: "none", "aria-label": `${first} with itself` });
  const { tone, says } = pairSigns[sign];
  const run = index < 0 ? null : heatBuild.cases[index];
  const unexplained = run !== null && run.agrees === "contradiction";
  const label = `${first}, then ${second}: ${run === null ? says : says + ", " + run.words}` +
    (unexplained ? ", contradicts a prediction" : "");
  const open = run === null ? undefined : () => { location.hash = run.hash; };
  return element("td", { role: "gridcell", tabindex: "-1", class: tone + (run ? " opens" : ""), title: label, "aria-label": label,
    "data-first": first, "data-second": second, onclick: open,
    onkeydown: open && ((event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } }) },
    element("span", { "aria-hidden": "true" }, unexplained ? sign + "!" : sign));
}

function moveInGrid(event, cells) {
  const y = cells.findIndex((row) => row.includes(document.activeElement));
  if (y < 0) return;
  const x = cells[y].indexOf(document.activeElement), last = cells.length - 1;
  const to = { ArrowUp: [y - 1, x], ArrowDown: [y + 1, x], ArrowLeft: [y, x - 1], ArrowRight: [y, x + 1],
    Home: [event.ctrlKey ? 0 : y, 0], End: [event.ctrlKey ? last : y, last] }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const inside = (place) => Math.min(Math.max(place, 0), last);
  cells[inside(to[0])][inside(to[1])].focus();
}
