#include "report/pages/pair_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/pages/markdown.h"
#include "report/pages/rule_view.h"
#include "report/pages/shown.h"
#include "report/pages/symptoms.h"
#include "rules/job.h"
#include "rules/match.h"
#include "stack/notation.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

bool works(Shown shown) { return shown == Shown::equal || shown == Shown::slower; }

const Outcome* run_on(const EngineRuns& engine, const Stack& stack, const Sources& sources) {
  const Space& space = space_of(sources, engine.table.engine);
  const std::string usual = space.models.empty() ? Case{}.model : space.models.front();
  return find_outcome(engine, usual_case(stack, model_of(stack, usual), engine.table.engine));
}

// The engine whose runs the row shows: the reader's version if it ran any of the pair's opposite orders, else the newest release
// of the first other project (not the engine of definitions) that did.
const EngineRuns* engine_for(const AskedPair& pair, const Sources& sources, const std::vector<EngineRuns>& engines) {
  const EngineRuns* other = nullptr;
  for (const EngineRuns& engine : engines) {
    const bool runs_one =
        std::ranges::any_of(pair.turned, [&](const Stack& stack) { return run_on(engine, stack, sources) != nullptr; });
    if (!runs_one) continue;
    if (engine.target == reader_target(sources)) return &engine;
    const std::string& project = engine.target.project;
    const bool is_used = project != sources.reader && project != sources.definition;
    if (is_used && (other == nullptr || (project == other->target.project && *other->target.version < *engine.target.version)))
      other = &engine;
  }
  return other;
}

using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;  // results and their stacks

// "`compile,ac`: slower; `compile,sac`: silently without effect"
std::string in_words(const Groups& groups) {
  std::vector<std::string> parts;
  for (const auto& [words, stacks] : groups) parts.push_back(fmt::format("{}: {}", join(stacks, ", "), words));
  return join(parts, "; ");
}

void add_to_group(Groups& groups, const std::string& words, const std::string& stack) {
  auto same = std::ranges::find(groups, words, [](const auto& group) { return group.first; });
  if (same == groups.end()) same = groups.insert(same, {words, {}});
  same->second.push_back(stack);
}

// Whether `other` contains the transforms of `stack` in the same order. Ignores the trainer.
bool is_part_of(const Stack& stack, const Stack& other) {
  auto at = other.items.begin();
  return std::ranges::all_of(stack.items, [&](const Item& item) {
    if (item.name == default_trainer().name) return true;
    at = std::ranges::find(at, other.items.end(), item.name, &Item::name);
    if (at == other.items.end()) return false;
    ++at;
    return true;
  });
}

// The engines that measure every effect: the reader's version, and the one that builds transforms from their definitions. On
// other engines an equal run may hide a missing effect.
std::vector<const EngineRuns*> engines_that_prove(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<const EngineRuns*> found;
  for (const EngineRuns& engine : engines)
    if (engine.target == reader_target(sources)) found.push_back(&engine);
  for (const EngineRuns& engine : engines)
    if (engine.target.project == sources.definition) found.push_back(&engine);
  return found;
}

bool ran_anywhere(const Stack& stack, const Sources& sources, const std::vector<EngineRuns>& engines) {
  return std::ranges::any_of(engines, [&](const EngineRuns& engine) { return run_on(engine, stack, sources) != nullptr; });
}

// For each stack that goes wrong in the opposite order: one run with options that made it work, if there is one. Looks at the
// reader's version first. Also lists variants without any run.
std::string elsewhere_in_words(const AskedPair& pair, const std::vector<Stack>& harmed, const Sources& sources,
                               const std::vector<EngineRuns>& engines) {
  std::vector<std::string> sentences, unknown;
  std::vector<Stack> candidates = pair.variants;
  candidates.insert(candidates.end(), harmed.begin(), harmed.end());
  for (const Stack& stack : harmed) {
    bool is_found = false, has_unrun_variant = false;
    for (const EngineRuns* engine : engines_that_prove(sources, engines))
      for (const Stack& candidate : candidates) {
        if (is_found || !is_part_of(stack, candidate)) continue;
        const Outcome* run = run_on(*engine, candidate, sources);
        if (run == nullptr || !works(shown_by(*run, sources, engine->target))) continue;
        is_found = true;
        sentences.push_back(fmt::format("{} works on {}.", breakable_code(print(run->subject.stack)), print(engine->target)));
      }
    if (is_found) continue;
    for (const Stack& variant : pair.variants)
      if (is_part_of(stack, variant) && !ran_anywhere(variant, sources, engines)) {
        sentences.push_back(fmt::format("{} was not run.", code(print(variant))));
        has_unrun_variant = true;
      }
    if (!has_unrun_variant) unknown.push_back(code(print(stack)));
  }
  const bool is_about_all = sentences.empty();
  if (!pair.elsewhere.empty())
    sentences.push_back(pair.elsewhere + ".");
  else if (!unknown.empty())
    sentences.push_back(fmt::format("No implementation is known{}.", is_about_all ? "" : " of " + join(unknown, ", ")));
  return join(sentences, " ");
}

// The rule that predicts the harm of a run of the opposite order. If the run was equal: a rule that recommends against it, else
// one that allows both orders. nullptr if there is none.
const Rule* rule_of(const Outcome& run, const EngineRuns& engine, const std::vector<Rule>& rules) {
  if (!shows_parity(run.seen.verdict)) return explaining_rule(run, engine, rules);
  const Stack& stack = run.subject.stack;
  for (const Rule& rule : rules)
    if (rule.kind == RuleKind::order && holds_for(rule, engine.target) && !firings(rule, stack).empty()) return &rule;
  for (const Rule& rule : rules)
    if (rule.kind == RuleKind::commutes && !commuting_pairs(rule, stack).empty()) return &rule;
  return nullptr;
}

std::string result_in_words(const Outcome& run, const Rule* rule, const EngineRuns& engine, const Sources& sources) {
  const std::string words = shown_in_words(run, sources);
  return run.seen.verdict == Verdict::fails ? fmt::format("{} (\"{}\")", words, error_of(rule, engine, run)) : words;
}

// `since` is left out if the oldest version with runs shows it too.
std::string reason_in_words(const Rule& rule, const EngineRuns& engine, const Sources& sources) {
  const std::string since = since_in_words(rule, engine.target, sources.observations);
  const bool says_since = !since.empty() && since.find(kFirstRun) == since.npos;
  return fmt::format("{} ({}{}, {})", reason_of(rule), link_to(rule), says_since ? ", since " + since : "",
                     name_of(rule.basis));
}

// The rule's good stack, if it works on the engine; marked if it was not run there, "" if it went wrong.
std::string good_in_words(const Rule& rule, const EngineRuns& engine, const Sources& sources) {
  const Outcome* run = run_on(engine, rule.witness.good, sources);
  const std::string stack = code(print(rule.witness.good));
  if (run == nullptr) return stack + " (not run)";
  return works(shown_by(*run, sources, engine.target)) ? stack : "";
}

PairView view_of(const AskedPair& pair, const Sources& sources, const std::vector<EngineRuns>& engines) {
  PairView view{.order = pair.order, .answer = "not run", .said = pair.said};
  const EngineRuns* engine = engine_for(pair, sources, engines);
  if (engine == nullptr) return view;
  struct Turned {
    std::string stack, result;
    const Rule* rule;
  };
  std::vector<Turned> turned;
  std::vector<Stack> harmed;
  const Rule* explaining = nullptr;  // of the first harmful run, else of the first run
  for (const Stack& stack : pair.turned) {
    const Outcome* run = run_on(*engine, stack, sources);
    if (run == nullptr) continue;
    const Rule* rule = rule_of(*run, *engine, sources.rules);
    turned.push_back({breakable_code(print(run->subject.stack)), result_in_words(*run, rule, *engine, sources), rule});
    const bool is_harmed = !works(shown_by(*run, sources, engine->target));
    if (is_harmed) harmed.push_back(stack);
    if (explaining == nullptr || (is_harmed && harmed.size() == 1)) explaining = rule;
  }
  Groups groups;
  for (const Turned& one : turned) {
    // The reason is that of one rule; link to the others.
    const bool has_own_reason = one.rule != nullptr && one.rule != explaining && one.rule->kind != RuleKind::commutes;
    add_to_group(groups, has_own_reason ? fmt::format("{} ({})", one.result, link_to(*one.rule)) : one.result, one.stack);
  }
  const bool works_somewhere = harmed.size() < turned.size();
  view.answer = harmed.empty() ? "yes" : works_somewhere ? "in part" : "no";
  if (engine->target != reader_target(sources)) view.answer += fmt::format(" (on {})", print(engine->target));
  view.turned = in_words(groups);
  if (explaining != nullptr) view.reason = reason_in_words(*explaining, *engine, sources);
  if (harmed.empty()) return view;
  if (explaining != nullptr) view.good = good_in_words(*explaining, *engine, sources);
  view.needs = pair.needs;
  view.elsewhere = elsewhere_in_words(pair, harmed, sources, engines);
  return view;
}

}  // namespace

std::vector<PairView> pair_views(const Sources& sources, const std::vector<EngineRuns>& engines) {
  std::vector<PairView> views;
  for (const AskedPair& pair : sources.topics.pairs) views.push_back(view_of(pair, sources, engines));
  return views;
}

}  // namespace ordercheck
