// The little Markdown that pages use: code spans, links, strong words; paragraphs, lists and code blocks. Anything else is text.
function inline(text) {
  const parts = [];
  const piece = /(`+)(.+?)\1(?!`)|\[([^\]]+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|<br>/gs;
  let at = 0;
  for (const found of text.matchAll(piece)) {
    parts.push(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[2] !== undefined) parts.push(stackCode(found[1].length > 1 ? found[2].trim() : found[2]));
    else if (found[3] !== undefined) parts.push(link(found[3], found[4]));
    else if (found[5] !== undefined) parts.push(element("strong", {}, found[5]));
    else parts.push(element("br"));
  }
  parts.push(text.slice(at));
  return parts;
}

// To a page of this file, or to where the text points on the web; any other target is a text without a link.
function link(text, target) {
  const id = idByFile.get(target.split("/").pop().split("#")[0]);
  if (id) return element("a", { class: text === id && "id", href: "#rule/" + id }, text);
  if (/^https?:\/\//.test(target)) return element("a", { href: target, rel: "noopener noreferrer" }, text);
  return text;
}

function paragraphs(text) {
  const blocks = [];
  const fences = text.split(/^```.*$/m);
  fences.forEach((part, i) => {
    if (i % 2 === 1) {
      blocks.push(element("pre", { tabindex: "0" }, part.replace(/^\n|\n$/g, "")));
      return;
    }
    for (const block of part.split(/\n\s*\n/)) {
      if (block.trim() === "") continue;
      const lines = block.split("\n");
      if (/^\s*[-*] /.test(lines[0])) {
        const items = block.split(/^\s*[-*] /m).slice(1);
        blocks.push(element("ul", {}, items.map((item) => element("li", {}, inline(item.replace(/\n\s*/g, " "))))));
      } else {
        blocks.push(element("p", {}, inline(block.trim().replace(/\n/g, " "))));
      }
    }
  });
  return blocks;
}

function ruleLink(id) {
  return ruleById.has(id) ? element("a", { class: "id", href: "#rule/" + id }, id) : id;
}
