#include "rule/rule.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/text.h"

namespace ordercheck {
namespace {

template <class Value>
struct Named {
  Value value;
  const char* name;
};

constexpr std::array<Named<RuleKind>, 6> kKinds{{{RuleKind::order, "order"},
                                                 {RuleKind::clash, "clash"},
                                                 {RuleKind::needs, "needs"},
                                                 {RuleKind::fits, "fits"},
                                                 {RuleKind::effect, "effect"},
                                                 {RuleKind::commutes, "commutes"}}};
constexpr std::array<Named<RuleKind>, 6> kPrefixes{{{RuleKind::order, "ORD"},
                                                    {RuleKind::clash, "CLA"},
                                                    {RuleKind::needs, "NEE"},
                                                    {RuleKind::fits, "FIT"},
                                                    {RuleKind::effect, "EFF"},
                                                    {RuleKind::commutes, "COM"}}};
constexpr std::array<Named<Basis>, 3> kBases{
    {{Basis::fundamental, "fundamental"}, {Basis::recommended, "recommended"}, {Basis::incidental, "incidental"}}};
constexpr std::array<Named<Harm>, 6> kHarms{{{Harm::wrong, "wrong"},
                                             {Harm::fails, "fails"},
                                             {Harm::hangs, "hangs"},
                                             {Harm::ignored, "ignored"},
                                             {Harm::slow, "slow"},
                                             {Harm::memory, "memory"}}};
constexpr std::array<Named<Stance>, 3> kStances{
    {{Stance::supports, "supports"}, {Stance::disputes, "disputes"}, {Stance::split, "split"}}};
constexpr std::array<Named<Move>, 4> kMoves{
    {{Move::none, ""}, {Move::more, "more"}, {Move::less, "less"}, {Move::same, "same"}}};

template <class Table, class Value>
const char* name_in(const Table& table, Value value) {
  for (const auto& entry : table)
    if (entry.value == value) return entry.name;
  assert(false && "every value is in the table of its names");
  return "";
}

template <class Value, std::size_t n>
std::optional<Value> find_in(const std::array<Named<Value>, n>& table, std::string_view name) {
  for (const auto& entry : table)
    if (name == entry.name) return entry.value;
  return std::nullopt;
}

}  // namespace

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
  // A sentence ends at a full stop before a blank or a line's end; a version such as 2.11 has no blank behind its stop.
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

const char* name_of(RuleKind kind) { return name_in(kKinds, kind); }
const char* name_of(Basis basis) { return name_in(kBases, basis); }
const char* name_of(Harm harm) { return name_in(kHarms, harm); }
const char* name_of(Stance stance) { return name_in(kStances, stance); }
const char* name_of(Move move) { return name_in(kMoves, move); }
const char* prefix_of(RuleKind kind) { return name_in(kPrefixes, kind); }
std::optional<RuleKind> find_rule_kind(std::string_view name) { return find_in(kKinds, name); }
std::optional<Basis> find_basis(std::string_view name) { return find_in(kBases, name); }
std::optional<Harm> find_harm(std::string_view name) { return find_in(kHarms, name); }
std::optional<Stance> find_stance(std::string_view name) { return find_in(kStances, name); }

const std::vector<std::string>& rule_kind_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& kind : kKinds) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

}  // namespace ordercheck
