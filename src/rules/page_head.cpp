#include "rules/page_head.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "base/toml.h"
#include "rules/counters.h"
#include "rules/pins.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

// The TOML keys of a rule kind's two patterns; "" if the kind lacks a pattern.
struct PartFields {
  std::string one;
  std::string other;
  bool one_needed = true;
  bool other_needed = true;
};

PartFields parts_of(RuleKind kind) {
  switch (kind) {
    case RuleKind::order: return {"first", "then"};
    case RuleKind::clash:
    case RuleKind::commutes: return {"one", "other"};
    case RuleKind::needs: return {"item", "needs"};
    case RuleKind::fits: return {"item", "", false, false};
    case RuleKind::effect: return {"item", "with", true, false};
  }
  assert(false && "a kind is one of six");
  return {};
}

template <class Value>
Value choose(TomlTable& fields, const std::string& key, std::optional<Value> found, const std::string& allowed) {
  if (found) return *found;
  fields.refuse(key, fmt::format("{} = \"{}\" is none of {}", key, fields.text_if_given(key), allowed));
  return Value{};
}

Citation read_citation(TomlTable& fields) {
  Citation citation{.url = fields.text("url"), .date = fields.text("date"), .claim = fields.text("claim")};
  citation.says = choose(fields, "says", find_named<Stance>(fields.text("says")), "supports, disputes, split");
  if (!citation.url.starts_with("https://"))
    fields.refuse("url", fmt::format("url = \"{}\" is no https:// address", citation.url));
  if (!is_date(citation.date) && citation.date != "unknown")
    fields.refuse("date", fmt::format("date = \"{}\" is none; write 2025-08-13, 2025-08, 2025 or \"unknown\"", citation.date));
  return citation;
}

Stack read_stack(TomlTable& fields, const std::string& key, const std::string& text, const std::string& file) {
  const Result<Stack> stack = parse_stack(text, {.file = file, .line = 0});
  if (stack) return *stack;
  fields.refuse(key, split(stack.error().message, '\n').front());
  return {};
}

Witness read_witness(TomlTable& fields, const Rule& rule) {
  const bool commutes = rule.kind == RuleKind::commutes;
  const std::string bad = commutes ? "one" : "bad", good = commutes ? "other" : "good";
  Witness witness;
  witness.bad = read_stack(fields, bad, fields.text(bad), rule.file);
  witness.good = read_stack(fields, good, fields.text(good), rule.file);
  if (fields.has("model")) witness.model = fields.text("model");
  witness.ranks = fields.number_if_given("ranks");
  witness.accumulation = fields.number_if_given("accumulation");
  return witness;
}

Move read_move(TomlTable& fields, std::string& counter) {
  Move move = Move::none;
  for (const auto& [key, value] : {std::pair{"more", Move::more}, {"less", Move::less}, {"same", Move::same}}) {
    if (!fields.has(key)) continue;
    if (move != Move::none) fields.refuse(key, "one of more, less, same is enough: a page pins one counter");
    move = value;
    counter = fields.text(key);
    if (const Status known = check_counter_name(counter); !known) fields.refuse(key, known.error().message);
  }
  return move;
}

Expectation read_expectation(TomlTable& fields, const Rule& rule) {
  Expectation expected;
  expected.engine = fields.text("engine");
  expected.verdict = choose(fields, "verdict", find_named<Verdict>(fields.text("verdict")),
                            "equal, close, differs, fails, hangs, ignored, unstable, unrun");
  if (fields.has("phase"))
    expected.phase = choose(fields, "phase", find_named<Phase>(fields.text("phase")),
                            "build, apply, forward, recompute, backward, optimizer, observe");
  expected.message = fields.text_if_given("message");
  expected.operation = fields.text_if_given("operation");
  expected.group = fields.text_if_given("group");
  expected.loses = fields.has("loses") ? fields.take("loses", parse_pattern(fields.text("loses"))) : rule.loses;
  expected.loses_part = !fields.has("loses") && rule.loses_part;
  expected.move = read_move(fields, expected.counter);
  expected.because = fields.text_if_given("because");

  if (expected.verdict == Verdict::fails && (!expected.phase || expected.message.empty()))
    fields.refuse("verdict", "a failure is pinned by 'phase' and a fragment of its 'message'");
  if (expected.verdict == Verdict::hangs && (expected.operation.empty() || expected.group.empty()))
    fields.refuse("verdict", "a hang is pinned by 'operation' and 'group'");
  if (expected.verdict == Verdict::ignored && expected.loses.any_of.empty())
    fields.refuse("verdict", "an ignored transform is named: loses = \"compile\"");
  const bool departing = departs(rule, expected);
  if (!departing && (rule.harm == Harm::ignored || is_cost(rule)) && expected.move == Move::none)
    fields.refuse("verdict", fmt::format("this only repeats harm = \"{}\"; pin a counter: more or less", name_of(rule.harm)));
  if (departing && trim(expected.because).empty())
    fields.refuse("verdict", fmt::format("'{}' departs from harm = \"{}\"; say 'because' of which counter or line",
                                         expected.verdict == verdict_of(rule.harm) ? "same" : name_of(expected.verdict),
                                         name_of(rule.harm)));
  if (!speaks_about(rule, expected.engine))
    fields.refuse(
        "engine",
        fmt::format("'holds' does not speak about {}: nothing is predicted for it, so nothing can be pinned", expected.engine));
  return expected;
}

// Reads the key `one` (a text) or, if the page has it, the key `several` (a list).
std::vector<std::string> one_or_several(TomlTable& fields, const std::string& one, const std::string& several) {
  if (!fields.has(several)) return {fields.text(one)};
  if (fields.has(one)) fields.refuse(several, fmt::format("one of {}, {} is enough", one, several));
  return fields.texts(several);
}

// Reads the [[expect]] entries. Returns one Expectation per version and stack, since an entry may list several.
std::vector<Expectation> read_expectations(TomlTable& fields, const Rule& rule) {
  const Expectation shared = read_expectation(fields, rule);
  std::vector<std::optional<Stack>> stacks{std::nullopt};
  if (fields.has("stack") || fields.has("stacks")) {
    stacks.clear();
    const std::string key = fields.has("stacks") ? "stacks" : "stack";
    for (const std::string& text : one_or_several(fields, "stack", "stacks"))
      stacks.emplace_back(read_stack(fields, key, text, rule.file));
  }
  std::vector<Expectation> made;
  const std::string key = fields.has("versions") ? "versions" : "version";
  for (const std::string& text : one_or_several(fields, "version", "versions")) {
    if (text.empty()) continue;
    const Version version = fields.take(key, parse_version(text));
    for (const std::optional<Stack>& stack : stacks) {
      made.push_back(shared);
      made.back().version = version;
      made.back().stack = stack;
    }
  }
  return made;
}

std::string read_retired(TomlTable& fields) {
  constexpr std::size_t kDay = 10;
  const std::string text = fields.text("retired");
  if (text.size() <= kDay || !is_date(text.substr(0, kDay)) || !text.substr(kDay).starts_with(": ") ||
      trim(text.substr(kDay + 1)).empty())
    fields.refuse("retired",
                  fmt::format("retired = \"{}\" does not say when and why; write \"2026-11-22: nobody says it\"", text));
  return text;
}

void read_parts(TomlTable& fields, Rule& rule) {
  const PartFields parts = parts_of(rule.kind);
  const auto read = [&](const std::string& key, bool needed) {
    if (key.empty() || (!needed && !fields.has(key))) return Pattern{};
    const std::string text = fields.text(key);
    return text.empty() ? Pattern{} : fields.take(key, parse_pattern(text));
  };
  rule.one = read(parts.one, parts.one_needed);
  rule.other = read(parts.other, parts.other_needed);
  if (rule.kind == RuleKind::order) rule.between = read("between", false);
  if (rule.kind == RuleKind::order || rule.kind == RuleKind::clash) rule.unless = read("unless", false);
  if (!parts.other.empty() && fields.has("scopes"))
    rule.scopes = choose(fields, "scopes", find_named<ScopeRelation>(fields.text("scopes")), "same, equal, inside, outside");
  if (fields.has("when") || rule.kind == RuleKind::fits)
    if (const std::string text = fields.text("when"); !text.empty()) rule.when = fields.take("when", parse_condition(text));
}

// Reads the key `loses`, the transform without effect. It must be an item that the rule flags and that the bad example stack
// has.
void read_loses(TomlTable& fields, Rule& rule) {
  const bool ignored = rule.harm == Harm::ignored;
  rule.loses_part = fields.has("loses_part_of");
  const std::string key = rule.loses_part ? "loses_part_of" : "loses";
  if (!fields.has(key)) {
    if (ignored) fields.refuse("harm", "an ignored transform is named: loses = \"compile\", or loses_part_of");
    return;
  }
  if (rule.loses_part && fields.has("loses"))
    return fields.refuse("loses", "one of loses, loses_part_of is enough: all of an effect is lost, or a part of it");
  if (!ignored) return fields.refuse(key, fmt::format("harm = \"{}\" ignores nothing", name_of(rule.harm)));
  if (const std::string text = fields.text(key); !text.empty()) rule.loses = fields.take(key, parse_pattern(text));
}

bool is_id(std::string_view id, RuleKind kind) {
  const std::string prefix = std::string(prefix_of(kind)) + "-";
  return id.starts_with(prefix) && id.size() == prefix.size() + 3 &&
         std::ranges::all_of(id.substr(prefix.size()), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Status read_head(const Page& page, Rule& rule) {
  TomlTable fields(page.head, rule.file, "the head", page.head_line);
  rule.id = fields.text("id");
  if (!is_id(rule.id, rule.kind))
    fields.refuse("id", fmt::format("id = \"{}\" does not fit a page in {}/; expected one like {}-001", rule.id,
                                    name_of(rule.kind), prefix_of(rule.kind)));
  if (fields.has("retired")) rule.retired = read_retired(fields);
  read_parts(fields, rule);
  rule.basis = choose(fields, "basis", find_named<Basis>(fields.text("basis")), "fundamental, recommended, incidental");
  if (rule.kind != RuleKind::commutes) {
    rule.harm = choose(fields, "harm", find_named<Harm>(fields.text("harm")), "wrong, fails, hangs, ignored, slow, memory");
    read_loses(fields, rule);
  }
  for (const std::string& entry : fields.texts("holds")) rule.holds.push_back(fields.take("holds", parse_holds(entry)));
  if (rule.holds.empty()) fields.refuse("holds", "'holds' is empty; name the projects that the claim is about, or [\"math\"]");
  if (fields.has("elsewhere")) {
    rule.silent_elsewhere = fields.text("elsewhere") == "silent";
    if (!rule.silent_elsewhere) fields.refuse("elsewhere", "elsewhere = \"silent\" is all that it can say");
  }
  rule.implies = fields.texts_if_given("implies");
  for (TomlTable& cite : fields.tables_if_given("cite")) {
    rule.citations.push_back(read_citation(cite));
    fields.adopt(cite);
  }
  if (rule.citations.empty()) fields.refuse("cite", "no [[cite]]: a claim that nobody made is an issue, not a rule");
  TomlTable witness = fields.table("witness");
  rule.witness = read_witness(witness, rule);
  fields.adopt(witness);
  if (!rule.loses.any_of.empty() && !rule.witness.bad.items.empty() &&
      std::ranges::none_of(rule.witness.bad.items, [&](const Item& item) { return matches(rule.loses, item); }))
    fields.refuse(rule.loses_part ? "loses_part_of" : "loses",
                  fmt::format("the transform that is ignored, \"{}\", is not in the smallest stack, {}", print(rule.loses),
                              print(rule.witness.bad)));
  for (TomlTable& expect : fields.tables_if_given("expect")) {
    for (Expectation& one : read_expectations(expect, rule)) rule.expectations.push_back(std::move(one));
    fields.adopt(expect);
  }
  if (const auto error = fields.error()) return *error;
  return Done{};
}

}  // namespace ordercheck
