#include "import/json_settings.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ordercheck {
namespace {

// Iterates over the text and counts lines, since nlohmann's SAX events have no positions.
struct LineCounter {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  int* line = nullptr;

  reference operator*() const { return *at; }
  LineCounter& operator++() {
    if (*at == '\n') ++*line;
    ++at;
    return *this;
  }
  LineCounter operator++(int) {
    const LineCounter before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const LineCounter& a, const LineCounter& b) { return a.at == b.at; }
  friend bool operator!=(const LineCounter& a, const LineCounter& b) { return a.at != b.at; }
};

class JsonReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonReader(std::string file, const int& line) : file_(std::move(file)), line_(line) {}

  bool null() override { return scalar(SettingForm::nothing, ""); }
  bool boolean(bool value) override { return scalar(SettingForm::flag, value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(SettingForm::whole, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(SettingForm::whole, std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(SettingForm::number, text); }
  bool string(string_t& value) override { return scalar(SettingForm::word, value); }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool start_object(std::size_t) override { return begin(true); }
  bool start_array(std::size_t) override { return begin(false); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.empty = false;
    level.key = level.path + name;
    level.line = line_;
    return level.key.size() <= kLongestKey ||
           refuse(fmt::format("a key of more than {} characters; expected a configuration", kLongestKey));
  }

  bool parse_error(std::size_t, const std::string& token, const nlohmann::detail::exception& wrong) override {
    const std::string what = wrong.what();
    const std::size_t behind = what.find("syntax error");
    return refuse(fmt::format("no JSON: {}", behind == std::string::npos ? "unexpected " + token : what.substr(behind)));
  }

  SettingList settings;
  std::optional<Error> error;

 private:
  struct Level {
    bool is_object = false;
    bool in_list = false;  // inside a list, so ignored
    std::string path;      // ends with '.' unless ""
    std::string key;
    int line = 1;
    std::size_t setting = 0;  // index of a list's own setting
    bool empty = true;
  };

  bool refuse(const std::string& what) {
    if (!error) error = error_at(file_, line_, what);
    return false;
  }

  bool counted_in() {
    return ++seen_ <= kMostSettings || refuse(fmt::format("more than {} values; expected a configuration", kMostSettings));
  }

  bool scalar(SettingForm form, const std::string& text) {
    if (!counted_in()) return false;
    if (levels_.empty()) return refuse("expected an object");
    const Level& level = levels_.back();
    if (level.in_list) return true;
    if (level.is_object)
      settings.push_back({.key = level.key, .form = form, .text = text, .elements = {}, .where = {file_, level.line}});
    else
      settings[level.setting].elements.push_back(text);
    return true;
  }

  bool begin(bool is_object) {
    if (!counted_in()) return false;
    if (levels_.size() >= kDeepestImport) return refuse(fmt::format("nested deeper than {} levels", kDeepestImport));
    if (levels_.empty() && !is_object) return refuse("expected an object, got a list");
    Level level{.is_object = is_object, .line = line_};
    if (!levels_.empty()) {
      const Level& around = levels_.back();
      level.in_list = around.in_list || !around.is_object;
      level.line = around.line;
      level.path = around.key;
      if (!is_object && !level.in_list) {
        level.setting = settings.size();
        settings.push_back(
            {.key = level.path, .form = SettingForm::list, .text = "", .elements = {}, .where = {file_, level.line}});
      }
      level.path += is_object ? "." : "";
    }
    levels_.push_back(std::move(level));
    return true;
  }

  bool end() {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.is_object && level.empty && !level.in_list && !level.path.empty())
      settings.push_back({.key = level.path.substr(0, level.path.size() - 1),
                          .form = SettingForm::table,
                          .text = "",
                          .elements = {},
                          .where = {file_, levels_.back().line}});
    return true;
  }

  std::string file_;
  const int& line_;
  std::vector<Level> levels_;
  std::size_t seen_ = 0;
};

}  // namespace

Result<SettingList> read_json(std::string_view text, const std::string& file) {
  const auto checked = checked_text(text, file);
  if (!checked) return checked.error();
  int line = 1;
  JsonReader reader(file, line);
  const LineCounter first{checked->data(), &line}, last{checked->data() + checked->size(), &line};
  constexpr bool kStrict = true, kSkipComments = true;
  if (!nlohmann::json::sax_parse(first, last, &reader, nlohmann::json::input_format_t::json, kStrict, kSkipComments))
    return reader.error ? *reader.error : error_at(file, line, "no JSON");
  return without_repeats(std::move(reader.settings));
}

}  // namespace ordercheck
