#include "rules/rule.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/text.h"

namespace ordercheck {
bool holds_for(const Rule& rule, const Target& target) {
  return std::ranges::any_of(rule.holds, [&](const Holds& entry) { return holds_for(entry, target); });
}

bool speaks_about(const Rule& rule, std::string_view project) {
  return std::ranges::any_of(rule.holds,
                             [&](const Holds& entry) { return entry.project == "math" || speaks_about(entry, project); });
}

bool is_silent_for(const Rule& rule, std::string_view project) {
  return rule.silent_elsewhere &&
         std::ranges::none_of(rule.holds, [&](const Holds& entry) { return entry.project == project; });
}

bool names(const Rule& rule, const std::string& transform) {
  const auto is_named = [&](const Pattern& pattern) {
    return std::ranges::find(pattern.any_of, transform, &ItemPattern::name) != pattern.any_of.end();
  };
  return is_named(rule.one) || is_named(rule.other);
}

std::string reason_of(const Rule& rule) {
  // A sentence ends at a full stop before a blank or line break, so not inside a version such as 2.11.
  std::string sentence;
  for (std::size_t i = 0; i < rule.why.size(); ++i) {
    const char c = rule.why[i];
    const bool last = i + 1 == rule.why.size();
    if (c == '.' && (last || rule.why[i + 1] == ' ' || rule.why[i + 1] == '\n')) break;
    if (c == '\n' && !last && rule.why[i + 1] == '\n') break;
    sentence += c == '\n' ? ' ' : c;
  }
  return std::string(trim(sentence));
}

std::string short_name(const Citation& citation) {
  constexpr std::string_view kHost = "https://github.com/";
  if (!citation.url.starts_with(kHost)) {
    const std::size_t host = citation.url.find("://");
    return host == std::string::npos ? citation.url : citation.url.substr(host + 3);
  }
  const std::vector<std::string> parts = split(citation.url.substr(kHost.size()), '/');
  if (parts.size() >= 4 && (parts[2] == "issues" || parts[2] == "pull")) return parts[1] + "#" + parts[3];
  if (parts.size() >= 5 && parts[2] == "blob") return parts[1] + " " + parts[3] + " " + parts.back();
  if (parts.size() >= 4 && (parts[2] == "commit" || parts[2] == "tree")) return parts[1] + " " + parts[3];
  return parts.size() >= 2 ? parts[1] : citation.url;
}

Verdict verdict_of(Harm harm) {
  switch (harm) {
    case Harm::wrong: return Verdict::differs;
    case Harm::fails: return Verdict::fails;
    case Harm::hangs: return Verdict::hangs;
    case Harm::ignored: return Verdict::ignored;
    case Harm::slow:
    case Harm::memory: return Verdict::equal;
  }
  assert(false && "a harm is one of six");
  return Verdict::unrun;
}

const char* name_of(Move move) {
  static constexpr std::array kNames{"", "more", "less", "same"};
  return kNames.at(static_cast<std::size_t>(move));
}

const char* prefix_of(RuleKind kind) {
  static constexpr std::array kPrefixes{"ORD", "CLA", "NEE", "FIT", "EFF", "COM"};
  return kPrefixes.at(static_cast<std::size_t>(kind));
}

}  // namespace ordercheck
