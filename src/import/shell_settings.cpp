#include "import/shell_settings.h"

#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

constexpr std::size_t kLongestValue = 1000;
constexpr int kDeepestVariable = 8;

struct Word {
  std::string text;
  int line = 0;
  bool literal = false;  // in single quotes, so without variables
  bool first = false;    // first word of a command
};

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
  return true;
}

// Splits the text into unquoted words. A bracket, a semicolon, a pipe, an ampersand or an end of line ends a command.
class ShellWords {
 public:
  explicit ShellWords(std::string_view text) : text_(text) {}

  std::vector<Word> all() {
    while (at_ < text_.size()) step();
    finish();
    return std::move(words_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\\' && at_ + 1 < text_.size()) return escaped();
    if (c == '\'' || c == '"') return quoted(c);
    if (c == '#' && !open_) return comment();
    if (c == '$' && at_ + 1 < text_.size() && (text_[at_ + 1] == '(' || text_[at_ + 1] == '{')) return nested();
    if (c == '`') return quoted('`');
    ++at_;
    if (c == '\n') {
      finish();
      ++line_;
      first_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      finish();
    } else if (c == ';' || c == '|' || c == '&') {
      finish();
      first_ = true;
    } else if (c == '(' && open_ && (word_.text.ends_with('='))) {
      finish();  // an array: NAME=( or NAME+=(
    } else if (c == '(' || c == ')') {
      finish();
      first_ = true;
    } else {
      put(c);
    }
  }

  void put(char c) {
    if (!open_) word_ = {.text = "", .line = line_, .literal = false, .first = first_};
    open_ = true;
    first_ = false;
    word_.text += c;
  }

  void escaped() {
    const char next = text_[at_ + 1];
    at_ += 2;
    if (next == '\n')
      ++line_;
    else if (next == '\r' && at_ < text_.size() && text_[at_] == '\n')
      ++at_, ++line_;
    else
      put(next);
  }

  void quoted(char quote) {
    const bool begins = !open_;
    if (begins) {
      word_ = {.text = "", .line = line_, .literal = quote == '\'', .first = first_};
      open_ = true;
      first_ = false;
    }
    if (quote == '`') word_.text += quote;  // command substitution: keep it as written
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size()) ++at_;
      if (text_[at_] == '\n') ++line_;
      word_.text += text_[at_];
    }
    if (quote == '`') word_.text += quote;
    ++at_;
  }

  void comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  // Keeps "${NAME:-default}" and "$(command)" whole, including blanks.
  void nested() {
    put(text_[at_++]);
    const char opens = text_[at_], closes = opens == '(' ? ')' : '}';
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      put(c);
      depth += c == opens;
      depth -= c == closes;
      if (depth == 0) break;
    }
    ++at_;
  }

  void finish() {
    if (open_) words_.push_back(std::move(word_));
    word_ = {};
    open_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool first_ = true, open_ = false;
  Word word_;
  std::vector<Word> words_;
};

class ShellVariables {
 public:
  explicit ShellVariables(const std::vector<Word>& words) {
    for (const Word& word : words) {
      std::size_t sign = word.text.find('=');
      if (sign == std::string::npos || sign == 0) continue;
      const bool adds = word.text[sign - 1] == '+';
      const std::string name = word.text.substr(0, sign - (adds ? 1 : 0));
      if (!is_name(name)) continue;
      ++times_[name];
      values_[name] = word.text.substr(sign + 1);
    }
    // A loop or `read` assigns an unknown value: count two assignments, so that resolve() fails.
    for (std::size_t at = 0; at + 1 < words.size(); ++at) {
      const std::string& before = words[at].text;
      if ((before == "for" || before == "read" || before == "local" || before == "declare") && is_name(words[at + 1].text))
        times_[words[at + 1].text] += 2;
    }
  }

  // The text with its variables expanded; nullopt if any has no plain value.
  std::optional<std::string> resolve(std::string_view text, int depth = 0) const {
    if (depth > kDeepestVariable) return std::nullopt;
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == '`') return std::nullopt;
      if (text[at] != '$') {
        made += text[at++];
        if (made.size() > kLongestValue) return std::nullopt;
        continue;
      }
      std::size_t end = at + 1;
      std::optional<std::string> value;
      if (end < text.size() && text[end] == '{') {
        const std::size_t close = closing(text, end);
        if (close == std::string_view::npos) return std::nullopt;
        value = braced(text.substr(end + 1, close - end - 1), depth);
        end = close + 1;
      } else {
        while (end < text.size() && is_name(text.substr(at + 1, end - at))) ++end;
        value = variable(std::string(text.substr(at + 1, end - at - 1)), depth);
      }
      if (!value || made.size() + value->size() > kLongestValue) return std::nullopt;
      made += *value;
      at = end;
    }
    return made;
  }

 private:
  static std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
      depth += text[at] == '{';
      depth -= text[at] == '}';
      if (depth == 0) return at;
    }
    return std::string_view::npos;
  }

  std::optional<std::string> variable(const std::string& name, int depth) const {
    const auto times = times_.find(name);
    if (times == times_.end() || times->second != 1) return std::nullopt;
    return resolve(values_.at(name), depth + 1);
  }

  std::optional<std::string> braced(std::string_view inside, int depth) const {
    const std::size_t sign = inside.find_first_of(":-");
    const std::string name(inside.substr(0, sign));
    if (!is_name(name)) {
      // A script parameter ${1:-default} has its default, like a variable that is never assigned.
      const bool number = !name.empty() && parse_integer(name);
      if (!number || sign == std::string_view::npos) return std::nullopt;
    }
    if (sign == std::string_view::npos) return variable(name, depth);
    const std::string_view rest = inside.substr(sign);
    if (!rest.starts_with(":-") && !rest.starts_with("-")) return std::nullopt;
    const std::string_view otherwise = rest.substr(rest.starts_with(":-") ? 2 : 1);
    const auto times = times_.find(name);
    // NAME=${NAME:-default} is the usual way to set a default.
    const bool own = times != times_.end() && times->second == 1 && values_.at(name).find("${" + name) != std::string::npos;
    if (times == times_.end() || own) return resolve(otherwise, depth + 1);
    return variable(name, depth);
  }

  std::map<std::string, int> times_;
  std::map<std::string, std::string> values_;
};

bool begins_condition(const std::string& word) {
  return word == "if" || word == "case" || word == "for" || word == "while" || word == "until";
}
bool ends_condition(const std::string& word) { return word == "fi" || word == "esac" || word == "done"; }

bool is_option(const std::string& word) {
  return word.size() > 2 && word.starts_with("--") && std::isalpha(static_cast<unsigned char>(word[2])) != 0;
}

SettingForm shell_form(const std::string& text) { return parse_integer(text) ? SettingForm::whole : SettingForm::word; }

// The position where options begin in a word: its front, or after the '=' of ARGS="--a 1 --b"; npos for other words.
std::size_t options_in(const std::string& text) {
  const std::size_t sign = text.find('=');
  const std::size_t name = sign != std::string::npos && sign > 0 && text[sign - 1] == '+' ? sign - 1 : sign;
  const bool assigns = sign != std::string::npos && is_name(std::string_view(text).substr(0, name));
  const std::size_t front = assigns ? sign + 1 : 0;
  return is_option(std::string(trim(std::string_view(text).substr(front)))) ? front : std::string::npos;
}

// One quoted word may hold several options: "--fp8-format hybrid", ARGS="--a 1 --b 2".
std::vector<Word> split_options(std::vector<Word> words) {
  std::vector<Word> all;
  for (Word& word : words) {
    const std::size_t front = options_in(word.text);
    if (front == std::string::npos || (front == 0 && word.text.find_first_of(" \n\t") == std::string::npos)) {
      all.push_back(std::move(word));
      continue;
    }
    if (front > 0)
      all.push_back({.text = word.text.substr(0, front), .line = word.line, .literal = false, .first = word.first});
    std::string part;
    int line = word.line;
    for (const char c : word.text.substr(front) + " ") {
      const bool blank = c == ' ' || c == '\n' || c == '\t';
      if (!blank) part += c;
      if (blank && !part.empty())
        all.push_back({.text = std::move(part), .line = line, .literal = word.literal, .first = false});
      if (blank) part.clear();
      line += c == '\n';
    }
  }
  return all;
}

// The variables that hold options: ARGS=(--a 1) and ARGS="--a 1", after splitting.
std::set<std::string> option_lists(const std::vector<Word>& words) {
  std::set<std::string> names;
  for (const Word& word : words) {
    std::string_view name = word.text;
    if (!name.ends_with('=')) continue;
    name.remove_suffix(name.ends_with("+=") ? 2 : 1);
    if (is_name(name)) names.emplace(name);
  }
  return names;
}

// Whether the text expands such a variable ("$ARGS", "${ARGS}" or "${ARGS[@]}"): it adds options and is not a value of the
// previous one.
bool stands_for_options(std::string_view text, const std::set<std::string>& lists) {
  if (!text.starts_with('$')) return false;
  text.remove_prefix(text.starts_with("${") ? 2 : 1);
  for (const std::string_view end : {"}", "[@]", "[*]"})
    if (text.ends_with(end)) text.remove_suffix(end.size());
  return lists.contains(std::string(text));
}

}  // namespace

Result<ShellSettings> read_shell(std::string_view text, const std::string& file) {
  const auto checked = checked_text(text, file);
  if (!checked) return checked.error();
  const std::vector<Word> words = split_options(ShellWords(*checked).all());
  const ShellVariables variables(words);
  const std::set<std::string> lists = option_lists(words);
  ShellSettings read;
  std::map<std::string, std::size_t> places;  // index in read.certain
  int depth = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const Word& word = words[at];
    if (word.first && begins_condition(word.text)) ++depth;
    if (word.first && ends_condition(word.text) && depth > 0) --depth;
    if (!is_option(word.text)) continue;
    const std::size_t sign = word.text.find('=');
    Setting setting{.key = word.text.substr(0, sign),
                    .form = SettingForm::flag,
                    .text = "true",
                    .elements = {},
                    .where = {file, word.line}};
    if (setting.key.size() > kLongestKey) return error_at(file, word.line, "an option longer than any is");
    const bool has_next = at + 1 < words.size() && !words[at + 1].first && !is_option(words[at + 1].text) &&
                          !stands_for_options(words[at + 1].text, lists);
    if (sign != std::string::npos || has_next) {
      const Word& value = sign != std::string::npos ? word : words[at + 1];
      const std::string raw = sign != std::string::npos ? word.text.substr(sign + 1) : value.text;
      setting.text = value.literal ? raw : variables.resolve(raw).value_or(raw);
      setting.form = shell_form(setting.text);
    }
    if (read.certain.size() + read.doubtful.size() >= kMostSettings)
      return error_at(file, word.line, fmt::format("more than {} options; expected a configuration", kMostSettings));
    const auto before = places.find(setting.key);
    if (depth > 0) {
      read.doubtful.push_back(std::move(setting));
    } else if (before == places.end()) {
      places.emplace(setting.key, read.certain.size());
      read.certain.push_back(std::move(setting));
    } else if (Setting& one = read.certain[before->second]; one.text != setting.text) {
      // The value is ambiguous: mark it so that erase_if() below drops it, and list both values as doubtful.
      if (one.form != SettingForm::nothing) read.doubtful.push_back(one);
      one.form = SettingForm::nothing;
      read.doubtful.push_back(std::move(setting));
    }
  }
  std::erase_if(read.certain, [](const Setting& one) { return one.form == SettingForm::nothing; });
  return read;
}

}  // namespace ordercheck
