// The script of `ordercheck repro`. A page holds each piece once: the text of a case is put together when its page is opened.
function scriptText(one) {
  return data.scripts.cases[one.script].map((piece) => data.scripts.pieces[piece]).join("");
}

// A case that shows nothing to others has none.
function scriptOf(one) {
  if (one.script !== undefined) return scriptBlock(scriptText(one));
  if (one.no_script) return element("p", { class: "note" }, "There is no script of it for PyTorch alone: " + one.no_script);
  if (one.verdict === "ignored")
    return element("p", { class: "note" }, "A script of PyTorch alone compares numbers: it cannot show that a transform has no effect.");
  const shell = command("A script that shows it on PyTorch alone", `ordercheck repro ${quoted(one.text)} --python python3 -o repro.py`);
  if (data.scripts || ["equal", "close", "unrun"].includes(one.verdict)) return shell;
  return [shell, element("p", { class: "note" }, "The script itself is not in this file: ",
    element("code", {}, "matrix show --format html --python PYTHON"), " puts it here.")];
}

function scriptBlock(text) {
  const code = element("code");
  const show = () => { code.textContent = text; };
  const button = element("button", { type: "button", onclick: () => { show(); copy(text, button, code, details); } }, "Copy script");
  const details = element("details", { ontoggle: show },
    element("summary", {}, `Read the script (${counted(text.split("\n").length - 1, "line")})`),
    element("pre", { class: "script", tabindex: "0" }, code));
  const start = text.match(/^# +(torchrun .*) THIS_FILE$/m);
  return element("section", { "aria-label": "Script" },
    element("p", { class: "label" }, "A script that shows it on PyTorch alone, without ordercheck"),
    element("p", { class: "buttons" }, button,
      element("button", { type: "button", onclick: () => download(text, "repro.py") }, "Download repro.py")),
    start ? command("Start it", start[1] + " repro.py") : null,
    details);
}

function download(text, name) {
  const file = URL.createObjectURL(new Blob([text], { type: "text/x-python" }));
  element("a", { href: file, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}
