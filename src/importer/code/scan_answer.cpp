#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "importer/code/scan.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using Answer = nlohmann::json;

// Each part is read before any value is made of them: GCC 12 frees twice what an aggregate holds already where a later part throws.
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

// As the notation writes it, so that one parser decides what an item may be.
std::string notation_of(const Answer& told) {
  std::string text = told.at("name").get<std::string>();
  // Of a configuration; code states none.
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

}  // namespace ordercheck
