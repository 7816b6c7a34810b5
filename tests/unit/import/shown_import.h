// What was read of a configuration, in lines: the stack, each item with its place, ranks and sizes, and what was not understood.
#pragma once

#include <string>

#include "import/import.h"
#include "stack/notation.h"
#include "stack/stack.h"

namespace ordercheck {

inline std::string shown(const Imported& imported) {
  std::string text = print(imported.stack) + "\n";
  for (const Item& item : imported.stack.items) text += "  " + print(item) + " " + in_words(item.origin) + "\n";
  if (imported.ranks) text += "  ranks=" + std::to_string(*imported.ranks) + "\n";
  for (const auto& [name, size] : imported.sizes) text += "  " + name + "=" + std::to_string(size) + "\n";
  for (const NotUnderstood& one : imported.not_understood)
    text += "? " + in_words(one.where) + " " + one.text + ": " + one.why + "\n";
  return text;
}

// Of a text that names no other file, or names that with this content.
inline std::string shown_import(std::string_view text, const std::string& format = "", const std::string& beside = "") {
  const auto read = [&](const std::string& name) -> Result<std::string> {
    if (beside.empty()) return Error{"there is no file " + name};
    return beside;
  };
  const auto imported = import_text(text, "f", read, {.format = format, .overrides = {}});
  return imported ? shown(*imported) : imported.error().message;
}

}  // namespace ordercheck
