function orderSection() {
  return section("order", "Why this order",
    element("p", {}, `For ${data.target}, from left to right. An arrow is a rule; a red one is an error the other way round.`),
    data.orders.map((order) => [
      element("h3", {}, inline(order.title)),
      element("p", {}, order.names.flatMap((name, i) => [i > 0 ? " → " : "", element("code", {}, name)])),
      graphPicture(data.graphs[order.graph], "Recommended order, " + order.title.replaceAll("`", "")),
      order.gaps.map((gap) => element("p", { class: "note" }, inline(gap)))]));
}
