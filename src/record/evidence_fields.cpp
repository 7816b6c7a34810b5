#include "record/evidence_fields.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "record/counters.h"

namespace ordercheck {
namespace {

constexpr std::string_view kBetweenEffects = " | ", kBetweenSigns = "; ", kMissing = "missing: ";
constexpr std::string_view kUnknown = "?";
constexpr std::string_view kYes = "yes", kPartly = "partly", kNo = "no", kNotStated = "not stated";

std::string_view word_of(const Effect& effect) {
  if (!effect.defined) return kNotStated;
  return effect.present ? kYes : effect.partly ? kPartly : kNo;
}

std::optional<std::int64_t> parse_counter(std::string_view text) {
  if (text == kUnknown) return kNotMeasured;
  const auto number = parse_integer(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const auto next = text.find(separator, at);
    parts.push_back(text.substr(at, next - at));
    if (next == std::string_view::npos) return parts;
    at = next + separator.size();
  }
}

std::vector<Sign> parse_signs(std::string_view text) {
  std::vector<Sign> signs;
  if (text.empty()) return signs;
  for (std::string_view part : split_at(text, kBetweenSigns)) {
    const bool missing = part.starts_with(kMissing);
    if (missing) part.remove_prefix(kMissing.size());
    signs.push_back({.text = std::string(part), .missing = missing});
  }
  return signs;
}

Result<Effect> parse_effect(std::string_view text) {
  // Split at ": " because the item itself has colons ("fsdp=2:reshard=never") but no blanks.
  const auto first = text.find(": ");
  const auto second = first == std::string_view::npos ? first : text.find(": ", first + 2);
  if (second == std::string_view::npos)
    return Error{fmt::format("effect '{}' is not '<item>: yes|partly|no|not stated: <signs>'", one_line(text))};
  Effect effect{.transform = std::string(text.substr(0, first)), .signs = parse_signs(text.substr(second + 2))};
  const auto word = text.substr(first + 2, second - first - 2);
  if (word != kYes && word != kPartly && word != kNo && word != kNotStated)
    return Error{fmt::format("effect of {} is '{}', expected yes, partly, no or not stated", one_line(effect.transform),
                             one_line(word))};
  effect.defined = word != kNotStated;
  effect.present = word == kYes;
  effect.partly = word == kPartly;
  return effect;
}

}  // namespace

std::string escape_field(std::string_view text) {
  if (text.empty()) return "-";
  if (text == "-") return "\\-";
  std::string out;
  for (char c : text) {
    switch (c) {
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
  return out;
}

Result<std::string> unescape_field(std::string_view field) {
  if (field == "-") return std::string{};
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      out += field[i];
      continue;
    }
    const char next = ++i < field.size() ? field[i] : '\0';
    switch (next) {
      case 't': out += '\t'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case '\\': out += '\\'; break;
      case '-': out += '-'; break;
      default:
        return Error{fmt::format("field '{}' has a backslash without t, n, r, - or a backslash after it", one_line(field))};
    }
  }
  return out;
}

std::string print_counters(const Counters& counters) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : kCounters) {
    if (!is_measured(counters.*value))
      parts.push_back(fmt::format("{}={}", name, kUnknown));
    else if (counters.*value != 0)
      parts.push_back(fmt::format("{}={}", name, counters.*value));
  }
  for (const auto& [name, value] : kModelled)
    if (counters.*value != 0) parts.push_back(fmt::format("{}={}", name, counters.*value));
  return join(parts, " ");
}

Result<Counters> parse_counters(std::string_view text) {
  Counters counters;
  if (text.empty()) return counters;
  for (const auto& part : split(text, ' ')) {
    const auto equals = part.find('=');
    const auto number = equals == std::string::npos ? std::nullopt : parse_counter(std::string_view(part).substr(equals + 1));
    if (!number)
      return Error{fmt::format("counter '{}' is not '<name>=<number>', or '<name>={}' where it was not measured",
                               one_line(part), kUnknown)};
    bool known = false;
    const auto take = [&](const CounterName& counter) {
      if (part.substr(0, equals) != counter.name) return;
      counters.*counter.value = *number;
      known = true;
    };
    std::ranges::for_each(kCounters, take);
    // '?' is not valid for modelled counters.
    if (is_measured(*number)) std::ranges::for_each(kModelled, take);
    if (!known) return Error{fmt::format("unknown counter '{}'", one_line(part.substr(0, equals)))};
  }
  return counters;
}

std::string print_collectives(const std::vector<CollectiveCount>& collectives) {
  std::vector<std::string> parts;
  for (const auto& c : collectives)
    parts.push_back(fmt::format("{}:{}:{}:{}:{}", c.kind, c.group, name_of(c.phase), c.count, c.bytes));
  return join(parts, " ");
}

Result<std::vector<CollectiveCount>> parse_collectives(std::string_view text) {
  std::vector<CollectiveCount> collectives;
  if (text.empty()) return collectives;
  for (const auto& part : split(text, ' ')) {
    const auto words = split(part, ':');
    const auto phase = words.size() == 5 ? find_named<Phase>(words[2]) : std::nullopt;
    const auto count = words.size() == 5 ? parse_integer(words[3]) : std::nullopt;
    const auto bytes = words.size() == 5 ? parse_integer(words[4]) : std::nullopt;
    if (!phase || !count || !bytes)
      return Error{fmt::format("collective '{}' is not '<kind>:<group>:<phase>:<count>:<bytes>'", one_line(part))};
    collectives.push_back({.kind = words[0], .group = words[1], .phase = *phase, .count = *count, .bytes = *bytes});
  }
  return collectives;
}

std::string print_effects(const std::vector<Effect>& effects) {
  std::vector<std::string> parts;
  for (const auto& e : effects) parts.push_back(fmt::format("{}: {}: {}", e.transform, word_of(e), print(e.signs)));
  return join(parts, kBetweenEffects);
}

Result<std::vector<Effect>> parse_effects(std::string_view text) {
  std::vector<Effect> effects;
  if (text.empty()) return effects;
  for (const std::string_view part : split_at(text, kBetweenEffects)) {
    auto effect = parse_effect(part);
    if (!effect) return effect.error();
    effects.push_back(*effect);
  }
  return effects;
}

}  // namespace ordercheck
