#include "cli/completion/candidates.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "matrix/knowledge.h"
#include "rules/glossary.h"
#include "stack/transforms.h"

namespace ordercheck::cli {
namespace {

struct Place {
  const CLI::App* app = nullptr;         // the innermost subcommand so far
  const CLI::Option* waiting = nullptr;  // the flag before the word, if it takes a value
};

const CLI::Option* find_flag(const CLI::App& app, const std::string& word) {
  return word.starts_with('-') ? app.get_option_no_throw(word) : nullptr;
}

Place place_of(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{.app = &app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const CLI::Option* flag = place.waiting == nullptr ? find_flag(*place.app, words[i]) : nullptr;
    place.waiting = flag != nullptr && flag->get_expected_min() > 0 ? flag : nullptr;
    for (const CLI::App* inner : place.app->get_subcommands([](const CLI::App*) { return true; }))
      if (inner->get_name() == words[i]) place.app = inner;
  }
  return place;
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(inner->get_name());
  return names;
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden from users
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

// The name of the first positional tells what it accepts.
std::string positional_of(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) return option->get_name(true);
  return "";
}

std::vector<std::string> transforms_after(const std::string& written) {
  const std::size_t comma = written.rfind(',');
  const std::string before = comma == std::string::npos ? "" : written.substr(0, comma + 1);
  std::vector<std::string> stacks;
  for (const TransformInfo& info : transforms()) stacks.push_back(before + info.name);
  return stacks;
}

std::vector<std::string> words_to_explain(const std::string& written) {
  if (written.find(',') != std::string::npos) return transforms_after(written);
  std::set<std::string> words;
  for (const std::string& word : known_words(glossary()))
    if (word.find(' ') == std::string::npos) words.insert(word);
  if (const auto knowledge = load_knowledge(""))
    for (const Rule& rule : knowledge->rules) words.insert({rule.id, rule.slug});
  return {words.begin(), words.end()};
}

// Only engines are completed as the value of a flag.
std::vector<std::string> values_of(const CLI::Option& flag) {
  if (!flag.check_lname("engine")) return {};
  const auto known = known_engines("");
  return known ? names_of(*known) : std::vector<std::string>{};
}

}  // namespace

std::vector<std::string> candidates_for(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string current = words.empty() ? "" : words.back();
  const Place place = place_of(app, words);
  if (place.waiting != nullptr) return values_of(*place.waiting);
  if (current.starts_with('-')) return flags_of(*place.app);
  if (auto inner = subcommands_of(*place.app); !inner.empty()) return inner;
  // Bash splits words at '=': the next word is a degree, until a comma.
  const bool degree = words.size() > 1 && words[words.size() - 2] == "=" && current.find(',') == std::string::npos;
  const std::string positional = positional_of(*place.app);
  if (degree) return {};
  if (positional == "shell") return {"bash", "fish", "zsh"};
  if (positional == "words" || positional == "rule") return words_to_explain(current);
  if (positional == "stack" || positional == "stacks" || positional == "case" || positional == "transforms")
    return transforms_after(current);
  return {};
}

}  // namespace ordercheck::cli
