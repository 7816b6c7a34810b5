#include "rules/holds.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck {
namespace {

struct RelationSign {
  std::string_view sign;
  Relation relation;
};
// Two-character signs first, so that ">=" does not parse as ">".
constexpr std::array<RelationSign, 5> kSigns{{{">=", Relation::at_least},
                                              {"<=", Relation::at_most},
                                              {"==", Relation::exactly},
                                              {">", Relation::above},
                                              {"<", Relation::below}}};

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

bool is_word(std::string_view text) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || is_decimal(c) || c == '_'; };
  return !text.empty() && !is_decimal(text.front()) && std::ranges::all_of(text, allowed);
}

// Splits "<project>[-<implementation>]".
Status read_names(std::string_view text, std::string& project, std::string& implementation) {
  const std::size_t dash = text.find('-');
  project = std::string(text.substr(0, dash));
  implementation = dash == text.npos ? "" : std::string(text.substr(dash + 1));
  if (!is_word(project) || (dash != text.npos && !is_word(implementation)))
    return Error{
        fmt::format("'{}' names no project; expected <project> or <project>-<implementation>, in lower case "
                    "letters, digits and '_'",
                    one_line(text))};
  return Done{};
}

bool is_met(const VersionBound& bound, const Version& version) {
  switch (bound.relation) {
    case Relation::at_least: return version >= bound.version;
    case Relation::above: return version > bound.version;
    case Relation::at_most: return version <= bound.version;
    case Relation::below: return version < bound.version;
    case Relation::exactly: return version == bound.version;
  }
  assert(false && "a relation is one of five");
  return false;
}

}  // namespace

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::max(a.parts.size(), b.parts.size()); ++i) {
    const int left = i < a.parts.size() ? a.parts[i] : 0;
    const int right = i < b.parts.size() ? b.parts[i] : 0;
    if (left != right) return left <=> right;
  }
  return std::strong_ordering::equal;
}

Result<Version> parse_version(std::string_view text) {
  Version version;
  std::string_view rest = text;
  while (!rest.empty() && is_decimal(rest.front())) {
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto part = parse_integer(rest.substr(0, end));
    if (!part || *part > 1'000'000)
      return Error{fmt::format("'{}' is no version: '{}' is too large", one_line(text), one_line(rest))};
    version.parts.push_back(static_cast<int>(*part));
    rest.remove_prefix(end);
    if (!rest.starts_with('.')) break;
    rest.remove_prefix(1);
  }
  // Allow suffixes such as "+cpu" and "a0+git1f2e".
  const bool stops_well = rest.empty() || rest.front() == '+' || (rest.front() >= 'a' && rest.front() <= 'z');
  if (version.parts.empty() || text.ends_with('.') || !stops_well)
    return Error{fmt::format("'{}' is no version; expected numbers joined by '.', such as 2.11.0", one_line(text))};
  return version;
}

bool is_within(const Version& version, const Version& wider) {
  return version.parts.size() >= wider.parts.size() &&
         std::equal(wider.parts.begin(), wider.parts.end(), version.parts.begin());
}

std::string print(const Version& version) { return fmt::format("{}", fmt::join(version.parts, ".")); }

Result<Holds> parse_holds(std::string_view text) {
  Holds holds;
  const std::size_t names_end = std::min(text.find_first_of("<>="), text.size());
  if (const Status named = read_names(trim(text.substr(0, names_end)), holds.project, holds.implementation); !named)
    return named.error();
  if (names_end == text.size()) {
    if (holds.project == "math" && holds.implementation.empty()) return holds;
    return Error{fmt::format("'{}' names no version; write \"{}>=...\" with the oldest that was looked at", one_line(text),
                             one_line(text))};
  }
  if (holds.project == "math") return Error{fmt::format("'{}': mathematics has no versions; write \"math\"", one_line(text))};
  for (const std::string& written : split(text.substr(names_end), ',')) {
    const std::string_view bound = trim(written);
    const auto sign = std::ranges::find_if(kSigns, [&](const RelationSign& s) { return bound.starts_with(s.sign); });
    if (sign == kSigns.end())
      return Error{fmt::format("'{}' is no bound; expected one of >= > <= < == and a version", one_line(bound))};
    const Result<Version> version = parse_version(trim(bound.substr(sign->sign.size())));
    if (!version) return version.error();
    holds.bounds.push_back({sign->relation, *version});
  }
  return holds;
}

std::string print(const Holds& holds) {
  std::vector<std::string> bounds;
  for (const VersionBound& bound : holds.bounds) {
    const auto sign = std::ranges::find(kSigns, bound.relation, &RelationSign::relation);
    bounds.push_back(fmt::format("{}{}", sign->sign, print(bound.version)));
  }
  const std::string implementation = holds.implementation.empty() ? "" : "-" + holds.implementation;
  return holds.project + implementation + join(bounds, ",");
}

Result<Target> parse_target(std::string_view text) {
  Target target;
  std::string_view names = text;
  // The version begins after the first dash that a digit follows.
  for (std::size_t dash = text.find('-'); dash != text.npos; dash = text.find('-', dash + 1)) {
    if (dash + 1 >= text.size() || !is_decimal(text[dash + 1])) continue;
    const Result<Version> version = parse_version(text.substr(dash + 1));
    if (!version) return version.error();
    target.version = *version;
    names = text.substr(0, dash);
    break;
  }
  if (const Status named = read_names(names, target.project, target.implementation); !named)
    return Error{
        fmt::format("cannot judge for '{}'; expected an engine and perhaps its version, such as pytorch-2.11, "
                    "pytorch or native",
                    one_line(text))};
  return target;
}

bool names_a_release(const Version& version) { return version != Version{{0}}; }

std::string print(const Target& target) {
  std::string text = target.project;
  if (!target.implementation.empty()) text += "-" + target.implementation;
  if (target.version && names_a_release(*target.version)) text += " " + print(*target.version);
  return text;
}

bool holds_for(const Holds& holds, const Target& target) {
  if (holds.project == "math") return true;
  if (holds.project != target.project || holds.implementation != target.implementation || !target.version) return false;
  return std::ranges::all_of(holds.bounds, [&](const VersionBound& bound) { return is_met(bound, *target.version); });
}

bool speaks_about(const Holds& holds, std::string_view project) {
  return holds.project == project && holds.implementation.empty();
}

bool ended_before(const Holds& holds, const Version& version) {
  return std::ranges::any_of(holds.bounds, [&](const VersionBound& bound) {
    switch (bound.relation) {
      case Relation::below: return bound.version <= version;
      case Relation::at_most:
      case Relation::exactly: return bound.version < version;
      default: return false;
    }
  });
}

}  // namespace ordercheck
