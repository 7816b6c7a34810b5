#include "cli/shared/import_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "import/recording/recorded_stack.h"
#include "stack/notation.h"
#include "stack/stack.h"

namespace ordercheck::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const std::string& text) { return one_line(displayable(text)); }

// An item without a line comes from a default of the project.
std::string place_of(const Item& item) {
  const bool is_default = item.origin.line == 0 && item.origin.file != kCommandLine;
  return shown(in_words(item.origin)) + (is_default ? ", by default" : "");
}

std::string package_place(const Imported& imported, std::size_t at) {
  return at < imported.package_places.size() ? shown(imported.package_places[at]) : "";
}

std::string items_of(const Imported& imported) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < imported.stack.items.size(); ++at) {
    const Item& item = imported.stack.items[at];
    const std::string package = package_place(imported, at);
    rows.push_back({print(item), place_of(item) + (package.empty() ? "" : fmt::format(" ({})", package))});
  }
  return in_columns(rows);
}

std::string title_of(const Imported& imported) {
  return imported.part.empty() ? imported.format : fmt::format("{}, {}", imported.format, shown(imported.part));
}

Json json_of(const Origin& origin) { return {{"file", displayable(origin.file)}, {"line", origin.line}}; }

Json json_of(const Imported& imported) {
  Json items = Json::array(), open = Json::array(), families = Json::array(), sizes = Json::object();
  for (std::size_t at = 0; at < imported.stack.items.size(); ++at) {
    const Item& item = imported.stack.items[at];
    Json one{{"item", print(item)}};
    one.update(json_of(item.origin));
    if (const std::string package = package_place(imported, at); !package.empty()) one["package"] = package;
    items.push_back(one);
  }
  for (const NotUnderstood& one : imported.not_understood) {
    Json told{{"text", displayable(one.text)}, {"why", displayable(one.why)}, {"kind", name_of(one.kind)}};
    told.update(json_of(one.where));
    open.push_back(told);
  }
  for (const auto& [name, size] : imported.sizes) sizes[name] = size;
  for (const FamilyOrder& one : imported.families)
    families.push_back({{"family", one.family}, {"modules", one.modules}, {"count", one.count}, {"order", one.order}});
  return {{"format", imported.format},
          {"part", displayable(imported.part)},
          {"stack", print(imported.stack)},
          {"order_from", imported.order_from},
          {"ranks", imported.ranks ? Json(*imported.ranks) : Json(nullptr)},
          {"sizes", sizes},
          {"items", items},
          {"families", families},
          {"not_understood", open}};
}

}  // namespace

bool is_recorded(const Imported& imported) { return imported.format == kRecordingFormat; }

std::string render_not_understood(const Imported& imported) {
  // Of a recording, what is a remark was understood.
  std::vector<std::vector<std::string>> open, remarks;
  for (const NotUnderstood& one : imported.not_understood) {
    const bool is_remark = is_recorded(imported) && one.kind != NoteKind::open;
    (is_remark ? remarks : open)
        .push_back({shown(in_words(one.where)), fmt::format("{}: {}", shown(one.text), shown(one.why))});
  }
  return (open.empty() ? "" : "Not understood:\n" + in_columns(open)) +
         (remarks.empty() ? "" : "What the recording shows:\n" + in_columns(remarks));
}

std::string render_families(const Imported& imported) {
  if (imported.families.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const FamilyOrder& one : imported.families) {
    const std::string modules = one.modules.empty() ? imported.part : one.modules;
    rows.push_back({one.family, shown(one.count == 1 ? modules : fmt::format("{} ({})", modules, one.count)), one.order});
  }
  return "Recorded order for each kind of module:\n" + in_columns(rows);
}

std::string refusals_of(const Imported& imported) {
  std::string text;
  for (const NotUnderstood& one : imported.not_understood)
    if (one.kind == NoteKind::refused || one.kind == NoteKind::ineffective)
      text += fmt::format("{}: error: {}: {}\n", shown(in_words(one.where)), shown(one.text), shown(one.why));
  return text;
}

std::string render_import_text(const Imported& imported) {
  const std::string stack = print(imported.stack);
  std::string text =
      fmt::format("{}: {}\n", title_of(imported), stack.empty() ? "model (no transform)" : stack) + items_of(imported);
  text += fmt::format("Order: {}\n", shown(imported.order_from));
  if (imported.ranks) text += fmt::format("Ranks: {}\n", *imported.ranks);
  std::vector<std::string> sizes;
  for (const auto& [name, size] : imported.sizes) sizes.push_back(fmt::format("{}={}", name, size));
  if (!sizes.empty()) text += fmt::format("Sizes: {}\n", join(sizes, ", "));
  return text + render_families(imported) + render_not_understood(imported);
}

bool leaves_open(const Imported& imported) {
  return is_recorded(imported) && std::ranges::count(imported.not_understood, NoteKind::open, &NotUnderstood::kind) > 0;
}

std::string render_import_json(const std::vector<Imported>& all) {
  Json stacks = Json::array();
  for (const Imported& one : all) stacks.push_back(json_of(one));
  return Json{{"schema", "ordercheck/import/1"}, {"stacks", stacks}}.dump(2) + "\n";
}

std::string render_import_below(const Imported& imported) {
  return fmt::format("Read as {}; order: {}\n{}", title_of(imported), shown(imported.order_from), items_of(imported)) +
         render_families(imported) + render_not_understood(imported);
}

std::string with_imported(std::string_view answer, const Imported& imported) {
  return Json{{"schema", "ordercheck/of-file/1"}, {"imported", json_of(imported)}, {"answer", Json::parse(answer)}}.dump(2) +
         "\n";
}

}  // namespace ordercheck::cli
