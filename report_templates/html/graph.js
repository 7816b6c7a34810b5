// A precedence graph as a picture: what has to be applied first stands left. Layers are longest paths.
function layersOf(graph) {
  const layer = graph.items.map(() => 0);
  for (let round = 0; round < graph.items.length; ++round)
    for (const [before, after] of graph.edges)
      if (layer[after] <= layer[before] && layer[before] + 1 < graph.items.length) layer[after] = layer[before] + 1;
  return layer;
}

function graphPicture(graph, title) {
  if (graph.items.length === 0) return element("p", {}, "No transform, no order.");
  const layer = layersOf(graph);
  const byLayer = [];
  graph.items.forEach((item, i) => (byLayer[layer[i]] ||= []).push(i));
  const columns = byLayer.filter((column) => column);  // edges in a circle leave layers empty
  const width = Math.max(...graph.items.map((item) => item.length)) * 8 + 24;
  const stepX = width + 56, stepY = 56, height = 32;
  const tallest = Math.max(...columns.map((column) => column.length));
  const place = new Map();
  columns.forEach((column, x) => column.forEach((i, y) =>
    place.set(i, { x: 8 + x * stepX, y: 12 + (y + (tallest - column.length) / 2) * stepY })));
  const sizeX = columns.length * stepX - 40, sizeY = tallest * stepY + 4;
  const arrows = graph.edges.map(([before, after, error, rules]) => {
    const from = place.get(before), to = place.get(after);
    const x1 = from.x + width, y1 = from.y + height / 2, x2 = to.x - 7, y2 = to.y + height / 2, bend = (x2 - x1) / 2;
    return drawn("g", { class: error ? "edge error" : "edge" },
      drawn("title", {}, `${graph.items[before]} before ${graph.items[after]}: ${rules}`),
      drawn("path", { d: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`, fill: "none" }),
      drawn("path", { class: "tip", d: `M${x2 + 7},${y2} l-9,-5 v10 z` }));
  });
  const boxes = graph.items.map((item, i) => drawn("g", { class: "box" },
    drawn("rect", { x: place.get(i).x, y: place.get(i).y, width, height, rx: 6 }),
    drawn("text", { x: place.get(i).x + width / 2, y: place.get(i).y + height / 2 + 5, "text-anchor": "middle" }, item)));
  const words = graph.edges.map(([before, after, error, rules]) => element("li", {},
    element("code", {}, graph.items[before]), " before ", element("code", {}, graph.items[after]),
    error ? ": an error the other way, " : ": advice, ", rules.split(", ").flatMap((id, i) => [i > 0 ? ", " : "", ruleLink(id)])));
  return element("figure", {},
    element("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": title },
      drawn("svg", { viewBox: `0 0 ${sizeX} ${sizeY}`, width: sizeX, height: sizeY, role: "img", "aria-label": title },
        arrows, boxes)),
    element("figcaption", {}, graph.edges.length === 0 ? "No rule orders these: any order is legal." :
      element("ul", {}, words)));
}
