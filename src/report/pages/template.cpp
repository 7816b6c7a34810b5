#include "report/pages/template.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>
#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/pages/markdown.h"

namespace ordercheck {
namespace {

namespace mustache = kainjow::mustache;

// kainjow leaves an empty line for a skipped section whose tag is alone on its line, which would end a Markdown table. So join
// such lines to the next one, and hide the remaining line breaks from kainjow.
constexpr char kLineBreak = '\x1e';

bool is_lone_section_tag(std::string_view line) {
  return line.size() > 5 && line.substr(0, 2) == "{{" && line.find_first_of("#^/") == 2 && line.find("}}") == line.size() - 2;
}

std::string with_hidden_breaks(std::string_view text) {
  std::string hidden;
  for (const std::string& line : split(text, '\n')) hidden += is_lone_section_tag(line) ? line : line + kLineBreak;
  hidden.pop_back();  // split() adds an empty line after a final line break
  return hidden;
}

std::string with_breaks(std::string text) {
  std::ranges::replace(text, kLineBreak, '\n');
  return text;
}

// Empty texts are false, so that sections over them are skipped. A text in a list is its element's {{text}}.
mustache::data data_of(const nlohmann::json& json) {
  if (json.is_boolean()) return mustache::data(json.get<bool>());
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    return text.empty() ? mustache::data(false) : mustache::data(text);
  }
  if (json.is_array()) {
    mustache::data list(mustache::data::type::list);
    for (const auto& element : json)
      list.push_back(element.is_string() ? data_of(nlohmann::json{{"text", element}}) : data_of(element));
    return list;
  }
  assert(json.is_object() && "a template takes texts, booleans, arrays and objects");
  mustache::data object(mustache::data::type::object);
  for (const auto& [key, value] : json.items()) {
    object.set(key, data_of(value));
    if (value.is_array()) object.set("has_" + key, mustache::data(!value.empty()));
  }
  return object;
}

}  // namespace

Result<std::string> render_template(std::string_view text, const nlohmann::json& data, const std::string& path) {
  mustache::mustache page{with_hidden_breaks(text)};
  if (!page.is_valid()) return Error{fmt::format("{}: {}", path, page.error_message())};
  page.set_custom_escape([](const std::string& value) { return cell(value); });
  return with_breaks(page.render(data_of(data)));
}

}  // namespace ordercheck
