#include "import/code/scan.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "matrix/finished_program.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = "python3";

// The modules of the reader, each after those that it imports.
const std::vector<std::pair<const char*, const char*>>& reader_modules() {
  static const std::vector<std::pair<const char*, const char*>> modules{
#include "import/code_texts.inc"
  };
  return modules;
}

// Creates modules from the texts on stdin, so that nothing is written to disk. -I and -S keep the current folder, the
// environment and installed packages off the import path.
constexpr const char* kStart = R"(import json, sys, types
if sys.version_info < (3, 9):
    print(json.dumps({"error": "python3 is Python %d.%d; 3.9 or newer reads code" % sys.version_info[:2]}))
    sys.exit(0)
for name, text in json.load(sys.stdin):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), module.__dict__)
sys.modules["main"].main()
)";

std::string reader_text() {
  nlohmann::json modules = nlohmann::json::array();
  for (const auto& [name, text] : reader_modules()) modules.push_back({name, text});
  return modules.dump();
}

Status check_path(const std::string& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (failed || !fs::exists(status)) return Error{fmt::format("{}: there is no such file or folder", path)};
  if (fs::is_directory(status)) return Done{};
  if (!fs::is_regular_file(status)) return Error{fmt::format("{}: is neither a file nor a folder", path)};
  if (fs::path(path).extension() != ".py") return Error{fmt::format("{}: a .py file or a folder is expected", path)};
  return Done{};
}

}  // namespace

Result<ScannedCode> scan_code(const std::string& path, std::chrono::milliseconds limit) {
  if (const Status valid = check_path(path); !valid) return valid.error();
  auto finished = run_to_end({kPython, "-I", "-S", "-c", kStart, path}, {}, reader_text(), limit);
  if (!finished)
    return Error{fmt::format("{}: {}; Python 3.9 or newer reads code, and a part of a folder takes less time", path,
                             finished.error().message)};
  if (finished->end.signal != 0 || finished->end.exit_code != 0)
    return Error{fmt::format("{}: the reader of code {}: {}", path, describe(finished->end), finished->last_error)};
  auto code = parse_scan_answer(finished->output);
  if (!code) return Error{fmt::format("{}: {}", path, code.error().message)};
  return code;
}

namespace {

using Answer = nlohmann::json;

// Read every part before constructing any value: GCC 12 frees an aggregate's members twice if a later initializer throws.
Origin place_of(const Answer& told, const char* file = "file", const char* line = "line") {
  Origin place;
  place.file = told.at(file).get<std::string>();
  place.line = told.at(line).get<int>();
  return place;
}

NotUnderstood note_of(const Answer& told) {
  NotUnderstood note;
  note.text = told.at("text").get<std::string>();
  note.where = place_of(told);
  note.why = told.at("why").get<std::string>();
  note.kind = told.value("open", true) ? NoteKind::open : NoteKind::remark;
  return note;
}

ScannedCall call_of_item(const Answer& told) {
  ScannedCall call;
  call.call = told.at("call").get<std::string>();
  call.where = place_of(told, "call_file", "call_line");
  call.condition = told.at("condition").get<std::string>();
  if (const auto open = told.find("open_options"); open != told.end())
    for (const Answer& option : *open) call.open_options[option.at(0).get<std::string>()] = option.at(1).get<std::string>();
  return call;
}

UnreadFile unread_of(const Answer& told) {
  UnreadFile file;
  file.where = place_of(told);
  file.why = told.at("text").get<std::string>();
  return file;
}

Directive directive_of(const Answer& told) {
  Directive directive;
  directive.where = place_of(told);
  directive.covers = told.at("covers").get<int>();
  directive.text = told.at("text").get<std::string>();
  return directive;
}

// Writes the item in the notation of stacks, so that a single parser validates items.
std::string notation_of(const Answer& told) {
  std::string text = told.at("name").get<std::string>();
  // Only configurations state degrees; code does not.
  if (const auto degrees = told.value("degrees", ""); !degrees.empty()) text += "=" + degrees;
  if (const auto mode = told.at("mode").get<std::string>(); !mode.empty()) text += "=" + mode;
  for (const Answer& option : told.at("options")) {
    text += ":" + option.at(0).get<std::string>();
    if (const auto value = option.at(1).get<std::string>(); !value.empty()) text += "=" + value;
  }
  if (const auto scope = told.at("scope").get<std::string>(); !scope.empty()) text += "@" + scope;
  return text;
}

Result<ScannedStack> stack_of(const Answer& function, const Answer& told) {
  ScannedStack made;
  made.imported.format = "training code";
  made.imported.order_from = function.value("order_from", kOrderOfCalls);
  made.function = place_of(function);
  const auto name = function.at("function").get<std::string>(), where = told.at("where").get<std::string>();
  const auto model = told.value("model", "");
  made.function_name = name.empty() ? "the file" : name;
  made.imported.part = made.function_name + (model.empty() ? "" : ", of " + model) + (where.empty() ? "" : ", where " + where);
  for (const Answer& item : told.at("items")) {
    const auto parsed = parse_stack(notation_of(item), place_of(item));
    if (!parsed) return Error{"the reader of code: " + one_line(displayable(split(parsed.error().message, '\n').front()))};
    if (parsed->items.size() != 1)
      return Error{fmt::format("the reader of code: one item is expected, got '{}'", one_line(displayable(notation_of(item))))};
    made.imported.stack.items.push_back(parsed->items.front());
    made.imported.stack.items.back().origin = place_of(item);
    made.calls.push_back(call_of_item(item));
  }
  for (const Answer& note : function.at("not_understood")) made.imported.not_understood.push_back(note_of(note));
  return made;
}

Result<ScannedCode> code_of(const Answer& told) {
  if (told.contains("error")) {
    const std::string why = one_line(displayable(told.at("error").get<std::string>()));
    return Error{trim(why).empty() ? "the reader of code gave up and does not say why" : why};
  }
  ScannedCode code;
  code.files = told.at("files").get<int>();
  for (const char* part : {"bad", "left_out"})
    for (const Answer& file : told.at(part)) code.unread.push_back(unread_of(file));
  for (const Answer& function : told.at("functions"))
    for (const Answer& stack : function.at("stacks")) {
      auto made = stack_of(function, stack);
      if (!made) return made.error();
      code.stacks.push_back(std::move(made).value());
    }
  for (const Answer& note : told.at("not_understood")) code.not_understood.push_back(note_of(note));
  for (const Answer& directive : told.at("directives")) code.directives.push_back(directive_of(directive));
  return code;
}

}  // namespace

Result<ScannedCode> parse_scan_answer(std::string_view text) {
  try {
    return code_of(Answer::parse(text));
  } catch (const Answer::exception& error) {
    return Error{fmt::format("the reader of code gave no answer that can be read: {}", one_line(displayable(error.what())))};
  }
}

std::string in_words(const UnreadFile& unread) {
  return unread.where.line > 0 ? fmt::format("{}:{}: {}", unread.where.file, unread.where.line, unread.why)
                               : fmt::format("{}: {}", unread.where.file, unread.why);
}

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

// The place in words: "line N" if it is in the file of the stack's function, else with the file name.
std::string within(const ScannedStack& one, const Origin& where) {
  return where.file == one.function.file ? fmt::format("line {}", where.line) : shown(where);
}

// An item that a helper applies is placed at the call of the helper; its own call follows.
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
