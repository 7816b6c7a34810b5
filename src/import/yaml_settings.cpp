#include "import/yaml_settings.h"

#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/text.h"

namespace ordercheck {
namespace {

struct YamlRefused {
  int line;
  std::string what;
};

SettingForm yaml_form(const std::string& text) {
  const std::string small = lower(text);
  if (small.empty() || small == "~" || small == "null") return SettingForm::nothing;
  for (const char* flag : {"true", "yes", "on", "false", "no", "off"})
    if (small == flag) return SettingForm::flag;
  if (parse_integer(text)) return SettingForm::whole;
  const bool decimal = text.find_first_not_of("0123456789+-.eE_") == std::string::npos;
  return decimal && text.find_first_of("0123456789") != std::string::npos ? SettingForm::number : SettingForm::word;
}

// Consumes parser events directly. An alias expands to settings only, which are counted, so nested aliases cannot exhaust
// memory.
class YamlReader : public YAML::EventHandler {
 public:
  explicit YamlReader(std::string file) : file_(std::move(file)) {}

  // Returns the settings. An explicit key overrides one from a merge.
  SettingList take() {
    std::map<std::string_view, int> times;
    for (const Setting& one : settings_) ++times[one.key];
    std::vector<bool> hidden(settings_.size(), false);
    for (const std::size_t merged : merged_) hidden[merged] = times[settings_[merged].key] > 1;
    SettingList left;
    for (std::size_t at = 0; at < settings_.size(); ++at)
      if (!hidden[at]) left.push_back(settings_[at]);
    return left;
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, anchor, SettingForm::nothing, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { repeat(mark, anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    // yaml-cpp tags a quoted scalar with "!" and a plain one with "?".
    const SettingForm form = tag == "?" ? yaml_form(value) : SettingForm::word;
    const std::string small = lower(value);
    const bool on = small == "true" || small == "yes" || small == "on";
    scalar(mark, anchor, form, form == SettingForm::flag ? (on ? "true" : "false") : value);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    begin(mark, anchor, false);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    begin(mark, anchor, true);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

 private:
  struct Level {
    bool is_map = false;
    bool in_list = false;            // inside a list, so ignored
    std::string path;                // ends with '.' unless ""
    std::optional<std::string> key;  // of a map: the last key read, until its value follows
    int key_line = 0;
    std::size_t setting = 0;  // index of a list's own setting
    bool empty = true;
    YAML::anchor_t anchor = 0;
    std::size_t first = 0;  // index of its first setting
    int line = 0;
  };

  // The settings of an anchor, by index, which stays valid because settings are only appended.
  struct Anchored {
    std::string path;  // key prefix of the anchored settings
    std::size_t first = 0, last = 0;
    bool scalar = false;
  };

  static int line_of(const YAML::Mark& mark) { return mark.line + 1; }

  [[noreturn]] static void refuse(int line, std::string what) { throw YamlRefused{line, std::move(what)}; }

  void count(int line) {
    if (++seen_ > kMostSettings) refuse(line, fmt::format("more than {} values; expected a configuration", kMostSettings));
  }

  void add(Setting setting) {
    count(setting.where.line);
    if (setting.key.size() > kLongestKey)
      refuse(setting.where.line, fmt::format("a key of more than {} characters; expected a configuration", kLongestKey));
    settings_.push_back(std::move(setting));
  }

  void scalar(const YAML::Mark& mark, YAML::anchor_t anchor, SettingForm form, const std::string& text) {
    const int line = line_of(mark);
    count(line);
    if (levels_.empty()) return;  // a file of one scalar has no key
    Level& level = levels_.back();
    level.empty = false;
    if (level.is_map && !level.key) {
      level.key = text;
      level.key_line = line;
      return;
    }
    if (level.is_map) {
      const std::string key = level.path + *std::exchange(level.key, std::nullopt);
      if (level.in_list) return;
      add({.key = key, .form = form, .text = text, .elements = {}, .where = {file_, level.key_line}});
      if (anchor != 0)
        anchored_[anchor] = {.path = key, .first = settings_.size() - 1, .last = settings_.size(), .scalar = true};
    } else if (!level.in_list) {
      settings_[level.setting].elements.push_back(text);
    }
  }

  void begin(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map) {
    const int line = line_of(mark);
    count(line);
    if (levels_.size() >= kDeepestImport) refuse(line, fmt::format("nested deeper than {} levels", kDeepestImport));
    Level level{
        .is_map = is_map, .path = "", .key = {}, .key_line = line, .anchor = anchor, .first = settings_.size(), .line = line};
    if (!levels_.empty()) {
      Level& around = levels_.back();
      around.empty = false;
      if (around.is_map && !around.key) refuse(line, "a key that is no word");
      level.in_list = around.in_list || !around.is_map;
      if (around.is_map) {
        level.line = around.key_line;
        level.path = around.path + *std::exchange(around.key, std::nullopt);
      }
    } else if (!is_map) {
      level.in_list = true;
    }
    if (!is_map && !level.in_list) {
      level.setting = settings_.size();
      add({.key = level.path, .form = SettingForm::list, .text = "", .elements = {}, .where = {file_, level.line}});
    }
    levels_.push_back(std::move(level));
    if (is_map && !levels_.back().path.empty()) levels_.back().path += '.';
  }

  void end() {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    if (level.is_map && level.empty && !level.in_list && !level.path.empty())
      add({.key = level.path.substr(0, level.path.size() - 1),
           .form = SettingForm::table,
           .text = "",
           .elements = {},
           .where = {file_, level.line}});
    if (level.anchor == 0 || level.in_list) return;
    anchored_[level.anchor] = {.path = level.path, .first = level.first, .last = settings_.size()};
  }

  void repeat(const YAML::Mark& mark, YAML::anchor_t anchor) {
    const int line = line_of(mark);
    count(line);
    if (levels_.empty()) return;
    Level& level = levels_.back();
    level.empty = false;
    if (level.is_map && !level.key) refuse(line, "an alias in place of a key");
    if (!level.is_map) return;
    const std::string key = *std::exchange(level.key, std::nullopt);
    const auto found = anchored_.find(anchor);
    if (level.in_list) return;
    if (found == anchored_.end())
      refuse(line, fmt::format("the alias of '{}' is of a list or within itself; write it out", key));
    // A merge key inserts the anchored map; explicit keys override it (see take()).
    const bool merges = key == "<<";
    const Anchored meant = found->second;
    for (std::size_t at = meant.first; at < meant.last; ++at) {
      Setting copy = settings_[at];
      const std::string rest = copy.key.substr(std::min(copy.key.size(), meant.path.size()));
      copy.key = level.path + (merges ? rest : meant.scalar || rest.empty() ? key : key + "." + rest);
      copy.where = {file_, level.key_line};
      if (merges) merged_.push_back(settings_.size());
      add(std::move(copy));
    }
  }

 private:
  std::string file_;
  SettingList settings_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::vector<std::size_t> merged_;  // their indices in settings_
  std::size_t seen_ = 0;
};

}  // namespace

Result<SettingList> read_yaml(std::string_view text, const std::string& file) {
  const auto checked = checked_text(text, file);
  if (!checked) return checked.error();
  YamlReader reader(file);
  try {
    std::istringstream stream{std::string(*checked)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(reader);
  } catch (const YamlRefused& refused) {
    return error_at(file, refused.line, refused.what);
  } catch (const YAML::Exception& wrong) {
    return error_at(file, wrong.mark.is_null() ? 1 : wrong.mark.line + 1, fmt::format("no YAML: {}", wrong.msg));
  }
  return without_repeats(reader.take());
}

}  // namespace ordercheck
