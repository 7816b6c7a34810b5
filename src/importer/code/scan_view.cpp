#include "importer/code/scan_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const std::string& text) { return one_line(displayable(text)); }

std::string shown(const Origin& where) {
  return where.line > 0 ? fmt::format("{}:{}", shown(where.file), where.line) : shown(where.file);
}

std::string shown(const NotUnderstood& note) {
  return fmt::format("{}{}: {}: {}", note.kind == NoteKind::remark ? "note: " : "not understood: ", shown(note.where),
                     shown(note.text), shown(note.why));
}

// In the file of its function a line is enough.
std::string within(const ScannedStack& one, const Origin& where) {
  return where.file == one.function.file ? fmt::format("line {}", where.line) : shown(where);
}

// An item that a helper applies stands where the helper is called: its own call is told behind it.
std::string call_of(const ScannedStack& one, const Item& item, const ScannedCall& call) {
  const bool is_here = call.where.file == item.origin.file && call.where.line == item.origin.line;
  return is_here ? shown(call.call) : fmt::format("{} at {}", shown(call.call), within(one, call.where));
}

std::string paragraph_of(const ScannedStack& one) {
  const std::vector<Item>& items = one.imported.stack.items;
  std::string text = fmt::format("{}: {}\n  {}\n", shown(one.function), shown(one.imported.part), print(one.imported.stack));
  if (one.imported.order_from != kOrderOfCalls) text += fmt::format("  in the order of {}\n", shown(one.imported.order_from));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < items.size(); ++at)
    rows.push_back({"  " + items[at].name, within(one, items[at].origin), call_of(one, items[at], one.calls[at]),
                    one.calls[at].condition.empty() ? "" : "if " + shown(one.calls[at].condition)});
  return text + in_columns(rows);
}

Json json_of(const Origin& where) { return {{"file", shown(where.file)}, {"line", where.line}}; }

Json json_of(const std::vector<NotUnderstood>& notes) {
  Json told = Json::array();
  for (const NotUnderstood& note : notes)
    told.push_back({{"text", shown(note.text)}, {"where", json_of(note.where)}, {"why", shown(note.why)}});
  return told;
}

}  // namespace

std::string render_scan_text(const ScannedCode& code) {
  std::string text;
  for (std::size_t at = 0; at < code.stacks.size(); ++at) {
    const ScannedStack& one = code.stacks[at];
    text += paragraph_of(one);
    // All stacks of a function share its notes, which are printed once, after the last of them.
    const bool is_last = at + 1 == code.stacks.size() || code.stacks[at + 1].function.file != one.function.file ||
                         code.stacks[at + 1].function.line != one.function.line;
    if (is_last)
      for (const NotUnderstood& note : one.imported.not_understood) text += "  " + shown(note) + "\n";
    text += '\n';
  }
  for (const NotUnderstood& note : code.not_understood) text += shown(note) + "\n";
  for (const UnreadFile& unread : code.unread) text += "not read: " + shown(in_words(unread)) + "\n";
  const std::string files = counted(code.files, "file");
  if (code.stacks.empty()) return text + fmt::format("no stack found in {}\n", files);
  return text + fmt::format("{} in {}\n", counted(static_cast<std::int64_t>(code.stacks.size()), "stack"), files);
}

std::string render_scan_json(const ScannedCode& code) {
  Json stacks = Json::array(), unread = Json::array();
  for (const ScannedStack& one : code.stacks) {
    Json items = Json::array();
    for (std::size_t at = 0; at < one.calls.size(); ++at) {
      const Item& item = one.imported.stack.items[at];
      const ScannedCall& call = one.calls[at];
      items.push_back({{"item", print(item)},
                       {"where", json_of(item.origin)},
                       {"call", shown(call.call)},
                       {"call_where", json_of(call.where)},
                       {"condition", shown(call.condition)}});
    }
    stacks.push_back({{"function", json_of(one.function)},
                      {"part", shown(one.imported.part)},
                      {"stack", print(one.imported.stack)},
                      {"items", items},
                      {"order_from", one.imported.order_from},
                      {"not_understood", json_of(one.imported.not_understood)}});
  }
  for (const UnreadFile& file : code.unread) unread.push_back({{"where", json_of(file.where)}, {"why", shown(file.why)}});
  return Json{{"schema", "ordercheck/scan/1"},
              {"files", code.files},
              {"stacks", stacks},
              {"not_understood", json_of(code.not_understood)},
              {"not_read", unread}}
             .dump(2) +
         "\n";
}

}  // namespace ordercheck
