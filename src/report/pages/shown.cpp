#include "report/pages/shown.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>

#include "report/pages/markdown.h"
#include "report/pages/order_view.h"
#include "rules/grade.h"
#include "rules/match.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

bool costs_more(const Stack& stack, const Sources& sources, const Target& target) {
  return std::ranges::any_of(sources.rules, [&](const Rule& rule) {
    const bool about_cost = rule.kind != RuleKind::commutes && (rule.harm == Harm::slow || rule.harm == Harm::memory);
    return about_cost && !firings(rule, stack).empty() &&
           grade_of(rule, target, sources.observations).kind == GradeKind::reproduced;
  });
}

// Whether the item has no options and its usual scope, with any degrees.
bool is_plain(const Item& item, const std::string& name) {
  Item plain = item_named(name);
  plain.degrees = item.degrees;
  if (find_transform(name)->kind == TransformKind::numeric) plain.mode = item.mode;  // an optimizer must name its mode
  return item == plain;
}

}  // namespace

bool is_silent(Shown shown) { return shown == Shown::wrong || shown == Shown::without_effect; }

const Outcome* reader_run(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Target target = reader_target(sources);
  for (const EngineRuns& engine : engines) {
    if (engine.target != target) continue;
    if (const Outcome* outcome = find_outcome(engine, usual_case(stack, Case{}.model, engine.table.engine))) return outcome;
  }
  return nullptr;
}

Shown shown_by(const Outcome& run, const Sources& sources, const Target& target) {
  switch (run.seen.verdict) {
    case Verdict::equal:
    case Verdict::close: return costs_more(run.subject.stack, sources, target) ? Shown::slower : Shown::equal;
    case Verdict::ignored: return Shown::without_effect;
    case Verdict::differs: return Shown::wrong;
    case Verdict::fails:
    case Verdict::hangs: return Shown::fails;
    default: return Shown::not_run;
  }
}

Shown shown_by(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const Outcome* outcome = reader_run(stack, sources, engines);
  return outcome == nullptr ? Shown::not_run : shown_by(*outcome, sources, reader_target(sources));
}

const Outcome* pair_run(const std::string& first, const std::string& second, const EngineRuns& engine) {
  const Outcome* best = nullptr;
  const auto key = [&](const Case& c) {
    const std::span pair = std::span(c.stack.items).first(2);
    const bool usual = std::ranges::equal(pair, std::vector{item_named(first), item_named(second)});
    return std::tuple(c.stack.items.size(), !usual, world_size(mesh_of(c.stack)));
  };
  for (const Outcome& outcome : engine.outcomes) {
    const Case& c = outcome.subject;
    if (c.stack.items.size() != 2) continue;
    if (c != usual_case(c.stack, Case{}.model, engine.table.engine)) continue;
    if (!is_plain(c.stack.items[0], first) || !is_plain(c.stack.items[1], second)) continue;
    if (best == nullptr || key(c) < key(best->subject)) best = &outcome;
  }
  return best;
}

Shown shown_by_pair(const std::string& first, const std::string& second, const Sources& sources,
                    const std::vector<EngineRuns>& engines) {
  const Target target = reader_target(sources);
  for (const EngineRuns& engine : engines)
    if (engine.target == target)
      if (const Outcome* run = pair_run(first, second, engine)) return shown_by(*run, sources, target);
  return Shown::not_run;
}

std::string what_is_missing(const Observation& seen) {
  const std::vector<Effect> lost = lost_effects(seen.effects);
  if (lost.empty()) return "";
  const std::vector<Sign>& signs = lost.front().signs;
  const auto missing = std::ranges::find(signs, true, &Sign::missing);
  return missing == signs.end() ? "" : missing->text;
}

std::string without_type(const std::string& message) {
  constexpr std::string_view kMark = "Error: ";
  const auto type = message.find(kMark);
  return type == std::string::npos ? message : message.substr(type + kMark.size());
}

const char* in_words(Shown shown) {
  switch (shown) {
    case Shown::equal: return "no difference";
    case Shown::slower: return "slower";
    case Shown::without_effect: return "silently without effect";
    case Shown::wrong: return "silently wrong";
    case Shown::fails: return "fails loudly";
    case Shown::not_run: break;
  }
  return "not run yet";
}

const char* sign_of(Shown shown) {
  switch (shown) {
    case Shown::equal: return "✓";
    case Shown::slower: return "▽";
    case Shown::without_effect: return "∅";
    case Shown::wrong: return "≠";
    case Shown::fails: return "✗";
    case Shown::not_run: break;
  }
  return "·";
}

bool keeps_a_part(Shown shown, const Observation& seen) {
  const std::vector<Effect> lost = lost_effects(seen.effects);
  return shown == Shown::without_effect && !lost.empty() && lost.front().partly;
}

std::string happened_in_words(Shown shown, const Observation& seen) {
  return keeps_a_part(shown, seen)
             ? "silently with only a part of the effect of " + code(lost_effects(seen.effects).front().transform)
             : in_words(shown);
}

std::string shown_in_words(const Outcome& run, const Sources& sources) {
  const Shown shown = shown_by(run, sources, reader_target(sources));
  return shown == Shown::fails ? verdict_in_words(run.seen) : happened_in_words(shown, run.seen);
}

}  // namespace ordercheck
