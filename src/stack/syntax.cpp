#include "stack/syntax.h"

#include <cassert>
#include <set>

#include "base/text.h"

namespace ordercheck {
namespace {

std::string value_of(const TransformInfo& transform) {
  switch (transform.value) {
    case ValueForm::none: return "";
    case ValueForm::degree: return "=N";
    case ValueForm::degree_pair: return "=NxN";
    case ValueForm::mode: return "[=" + join(transform.modes, "|") + "]";
  }
  assert(false && "a value is of four forms");
  return "";
}

std::string alternatives_of(const TransformInfo& transform, const std::string& group) {
  std::vector<std::string> written;
  for (const OptionInfo& option : transform.options)
    if (option.group == group) written.push_back(":" + syntax_of(option));
  return "[" + join(written, "|") + "]";
}

}  // namespace

std::string syntax_of(const OptionInfo& option) {
  switch (option.form) {
    case OptionForm::flag: return option.name;
    case OptionForm::count: return option.name + "=N";
    case OptionForm::number: return option.name + (option.words.empty() ? "=X" : "=X|" + join(option.words, "|"));
    case OptionForm::word: return option.name + "=" + (option.words.empty() ? "WORD" : join(option.words, "|"));
    case OptionForm::list: return option.name + "=" + (option.words.empty() ? "WORD" : join(option.words, "|")) + "[+...]";
  }
  assert(false && "an option is of five forms");
  return "";
}

std::string syntax_of(const TransformInfo& transform) {
  std::string text = transform.name + value_of(transform);
  std::set<std::string> groups;
  for (const OptionInfo& option : transform.options) {
    if (option.group.empty())
      text += "[:" + syntax_of(option) + "]";
    else if (groups.insert(option.group).second)
      text += alternatives_of(transform, option.group);
  }
  return text;
}

}  // namespace ordercheck
