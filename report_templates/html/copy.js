// In single quotes, as a POSIX shell takes it whatever it holds.
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

// A command with a button that copies it.
function command(label, text) {
  const code = element("code", {}, text);
  const button = element("button", { type: "button", "aria-label": "Copy: " + label, onclick: () => copy(text, button, code) }, "Copy");
  return element("div", { class: "command" },
    element("p", {}, label),
    element("pre", { tabindex: "0" }, code),
    button);
}

// A stack of a table or a sentence, likewise.
function stackToCopy(text) {
  const code = stackCode(text);
  return element("span", { class: "to-copy" }, code, " ",
    element("button", { type: "button", class: "small", "aria-label": "Copy: " + text, onclick: (event) => copy(text, event.target, code) }, "Copy"));
}

// A file opened from disk may be denied the clipboard: then what is shown is selected, to be copied by hand.
async function copy(text, button, shown, folded) {
  const label = button.textContent;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    if (folded) folded.open = true;
    getSelection().selectAllChildren(shown);
    said = document.execCommand("copy") ? "Copied" : "Selected; press Ctrl+C";
  }
  button.textContent = said;
  say(said);
  setTimeout(() => { button.textContent = label; }, 2000);
}
