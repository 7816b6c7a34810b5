#include "matrix/plan.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/orders.h"
#include "rules/job.h"
#include "rules/match.h"
#include "rules/observations.h"
#include "rules/orders.h"
#include "rules/pins.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/own_functions.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck {
namespace {

// User code, written pkg:name.
bool is_own_code(const std::string& name) { return name.find(':') != std::string::npos; }

// The first function of the user that the case names; "" if none.
std::string own_code_of(const Case& c) {
  for (const auto& function : kOwnFunctions<Case>)
    if (const std::string& own = c.*function.member; !own.empty()) return own;
  return is_own_code(c.model) ? c.model : "";
}

bool builds_model(const Hello& hello, const std::string& model) {
  return is_own_code(model) ? hello.own_code : contains(hello.models, model);
}

std::vector<std::string> rules_against(const Stack& stack, const Catalogue& catalogue) {
  const ConditionValues values = values_of(Job{});
  StackMatch match(catalogue, stack, values, MissingDegrees::as_run);
  std::vector<std::string> ids;
  for (const std::size_t page : match.fired()) ids.push_back(catalogue.pages()[page].id);
  return ids;
}

// Collects the planned cases by their text. The same case often has several sources, such as a rule's example and a project's
// order; it runs once and lists them all.
class Collector {
 public:
  Collector(const Space& space, const std::vector<Rule>& rules, const Hello& hello, Tier tier)
      : space_(space), rules_(rules), catalogue_(rules), hello_(hello), tier_(tier) {}

  void add(Case c, Source source) {
    auto& entry = cases_[print(c)];
    entry.subject = std::move(c);
    if (std::ranges::find(entry.sources, source) == entry.sources.end()) entry.sources.push_back(std::move(source));
  }

  void add_witnesses() {
    for (const Rule& rule : rules_) {
      add(case_of(rule.witness.bad, rule.witness, hello_.engine), {SourceKind::witness, rule.id + " bad"});
      add(case_of(rule.witness.good, rule.witness, hello_.engine), {SourceKind::witness, rule.id + " good"});
    }
  }

  void add_order(const Stack& stack, const std::string& model) {
    const Case c = usual_case(stack, model, hello_.engine);
    add(c, {SourceKind::order, ""});
    const auto against = rules_against(stack, catalogue_);
    // An order that breaks one rule attributes its effect to that rule alone.
    if (against.size() == 1) add(c, {SourceKind::edge, against.front()});
  }

  void add_orders_of(const std::vector<Stack>& sets, const std::string& model) {
    for (int ranks : space_.set_ranks)
      for (const Stack& set : sets)
        for (const Stack& stack : orders_of_set(set, ranks)) add_order(stack, model);
  }

  void add_orders(const std::string& model) {
    for (int ranks : space_.order_ranks)
      for (const Stack& stack : orders(space_.transforms, ranks)) add_order(stack, model);
    add_orders_of(space_.sets, model);
    for (const Stack& stack : space_.stacks) add_order(stack, model);
    // Run legal orders at every world size and number of microbatches: degree 2 and 2 microbatches hide ordering bugs.
    for (int ranks : space_.ranks) {
      for (const Stack& stack : orders(space_.transforms, ranks)) {
        if (!rules_against(stack, catalogue_).empty()) continue;
        Case c = usual_case(stack, model, hello_.engine);
        add(c, {SourceKind::legal, ""});
        for (int accumulation : space_.accumulations) {
          c.settings.accumulation = accumulation;
          add(c, {SourceKind::accumulation, std::to_string(accumulation)});
        }
      }
    }
  }

  // For sets too large for every order: the legal orders, and one order per broken edge.
  void add_legal_sets(const std::string& model) {
    if (space_.legal_sets.empty()) return;
    const PagesAlone pages(rules_, hello_);
    for (const Stack& set : space_.legal_sets) {
      const Stack items = with_degrees(set);
      for (const Stack& stack : legal_orders(items, pages.judge()).orders)
        add(usual_case(stack, model, hello_.engine), {SourceKind::legal, ""});
      for (const BrokenEdge& broken : orders_that_break_one_edge(items, pages.judge()))
        add(usual_case(broken.order, model, hello_.engine), {SourceKind::edge, join(broken.rules, " ")});
    }
  }

  void add_covering(const std::string& model) {
    for (const Case& row : space_.covering) {
      Case c = usual_case(row.stack, model, hello_.engine);
      c.settings.accumulation = row.settings.accumulation;
      add(c, {SourceKind::covering, ""});
    }
  }

  // Whether the tier takes the cases of this source without the space listing them.
  bool takes(SourceKind kind) const {
    if (tier_ != Tier::by_default || !space_.by_default.empty()) return false;
    return kind == SourceKind::witness || kind == SourceKind::covering;
  }

  // Listed cases are part of the full plan. `is_of_tier` marks those of the tier being planned.
  void add_listed(const std::vector<Case>& cases, const std::string& model, bool is_of_tier) {
    for (const Case& c : cases) {
      const std::string& of = c.model == Case{}.model ? model : c.model;
      add_order(c.stack, of);
      if (is_of_tier) listed_.insert(print(usual_case(c.stack, of, hello_.engine)));
    }
  }

  // Pages about compile describe the usual backend, but an engine may run witnesses with another one.
  void add_backend_witnesses() {
    const auto add_under_it = [&](const Stack& stack, const Rule& rule, const char* which) {
      if (std::ssize(stack.items) > space_.backend_witnesses) return;
      if (const auto compiled = under_usual_backend(case_of(stack, rule.witness, hello_.engine)))
        add(*compiled, {SourceKind::witness, fmt::format("{} {} under {}", rule.id, which, kUsualBackend)});
    };
    for (const Rule& rule : rules_) {
      add_under_it(rule.witness.bad, rule, "bad");
      add_under_it(rule.witness.good, rule, "good");
    }
  }

  // Only transforms with a mesh axis can change what an optimizer computes.
  void add_optimizers(const std::string& model) {
    std::vector<std::string> parallel;
    for (const auto& name : space_.transforms)
      if (!find_transform(name)->axes.empty()) parallel.push_back(name);
    for (int ranks : space_.optimizer_ranks)
      for (const Stack& stack : orders(parallel, ranks))
        for (const Item& optimizer : space_.optimizers)
          for (const Stack& longer : at_every_position(stack, optimizer))
            add(usual_case(longer, model, hello_.engine), {SourceKind::optimizer, ""});
  }

  // No engine builds every transform of a project, so also run its order without the missing ones, marked as projected.
  void add_framework(const Framework& framework, const std::string& usual) {
    const std::string model = model_of(framework.order, usual);
    const Case whole = usual_case(with_degrees(framework.order), model, hello_.engine);
    add(whole, {SourceKind::framework, framework.name});
    std::vector<std::string> left_out;
    const Case projected = usual_case(project(whole.stack, names_in(hello_.transforms), left_out), model, hello_.engine);
    if (!left_out.empty() && !projected.stack.items.empty())
      add(projected, {SourceKind::framework, framework.name + " (projected)"});
  }

  void add_own_runs(const Framework& framework) {
    for (const Case& c : framework.runs)
      if (c.engine == hello_.engine) add(c, {SourceKind::framework, framework.name});
  }

  void add_traffic(const TrafficTable& table) {
    for (const Case& c : cases_of(table, hello_.engine)) add(c, {SourceKind::traffic, table.title});
  }

  Plan plan() const {
    Plan plan{.engine = hello_.engine, .cases = {}, .not_planned = {}, .only_in_full = 0};
    for (const auto& [text, planned] : cases_) {
      const bool in_tier = is_whole(space_, tier_) || listed_.contains(text) ||
                           std::ranges::any_of(planned.sources, [&](const Source& s) { return takes(s.kind); });
      auto sources = planned.sources;
      std::ranges::sort(sources);
      auto reason = why_not(planned.subject, hello_);
      if (const int ranks = world_size(mesh_of(planned.subject.stack)); reason.empty() && ranks > space_.most_ranks)
        reason = fmt::format("needs {} ranks, the space has at most {}", ranks, space_.most_ranks);
      if (!in_tier)
        plan.only_in_full += reason.empty();
      else if (reason.empty())
        plan.cases.push_back({planned.subject, sources});
      else
        plan.not_planned.push_back({planned.subject, sources, reason});
    }
    return plan;
  }

 private:
  const Space& space_;
  const std::vector<Rule>& rules_;
  const Catalogue catalogue_;
  const Hello& hello_;
  const Tier tier_;
  std::set<std::string> listed_;  // texts of the cases that the space lists for this tier
  std::map<std::string, PlannedCase> cases_;
};

}  // namespace

const std::vector<std::string>& tier_names() {
  static const std::vector<std::string> names{"smoke", "default", "full", "versions"};
  return names;
}

const char* name_of(Tier tier) { return tier_names()[static_cast<std::size_t>(tier)].c_str(); }

std::optional<Tier> find_tier(const std::string& name) {
  const auto found = std::ranges::find(tier_names(), name);
  if (found == tier_names().end()) return std::nullopt;
  return static_cast<Tier>(found - tier_names().begin());
}

bool is_whole(const Space& space, Tier tier) {
  return tier == Tier::full || (tier == Tier::by_default && space.by_default.empty() && space.covering.empty());
}

std::string why_not(const Case& c, const Hello& hello) {
  const std::string own_code = own_code_of(c);
  if (!own_code.empty() && !hello.own_code)
    return fmt::format("the {} engine runs no code of yours, and {} is; take one that does (--engine)", hello.engine, own_code);
  // A user's function builds the stack, so the engine need not support its transforms.
  const auto missing = c.apply.empty() ? unbuilt_parts(c.stack, hello.transforms) : std::vector<std::string>{};
  if (!missing.empty()) return fmt::format("the {} engine builds no {}", hello.engine, join(missing, ", no "));
  if (!builds_model(hello, c.model)) return fmt::format("the {} engine builds no model {}", hello.engine, c.model);
  const Mesh mesh = mesh_of(c.stack);
  const int ranks = world_size(mesh);
  // The engine's own ep fails with this message; a user's function would get a mesh without an expert group.
  if (!c.apply.empty() && !carves_evenly(mesh))
    return fmt::format("ep={0} takes its ranks from dp_shard * cp * tp, which {0} does not divide: write fsdp={0},ep={0}",
                       mesh.ep);
  if (ranks > hello.max_ranks)
    return fmt::format("needs {} ranks, the {} engine runs at most {}", ranks, hello.engine, hello.max_ranks);
  return "";
}

std::vector<Case> cases_of(const TrafficTable& table, const std::string& engine) {
  std::vector<Case> cases;
  for (const Stack& stack : table.stacks) {
    cases.push_back(usual_case(stack, table.model, engine));
    cases.back().settings.steps = table.steps;
  }
  return cases;
}

Plan make_plan(const Space& space, const std::vector<Framework>& frameworks, const std::vector<Rule>& rules, const Hello& hello,
               Tier tier) {
  Collector collector(space, rules, hello, tier);
  collector.add_witnesses();
  for (const auto& model : space.models) {
    collector.add_orders(model);
    collector.add_backend_witnesses();
    collector.add_legal_sets(model);
    collector.add_covering(model);
    collector.add_listed(space.smoke, model, tier == Tier::smoke || (tier == Tier::by_default && space.by_default.empty()));
    collector.add_listed(space.by_default, model, tier == Tier::by_default);
    collector.add_listed(space.versions, model, tier == Tier::versions);
    collector.add_optimizers(model);
    for (const auto& framework : frameworks) collector.add_framework(framework, model);
  }
  for (const Framework& framework : frameworks) collector.add_own_runs(framework);
  for (const OwnStacks& own : space.own_stacks)
    for (const Stack& stack : own.stacks) collector.add_order(stack, own.model);
  for (const TrafficTable& table : space.traffic) collector.add_traffic(table);
  return collector.plan();
}

std::string print(const Source& source) {
  return source.detail.empty() ? name_of(source.kind) : fmt::format("{} {}", name_of(source.kind), source.detail);
}

std::vector<std::pair<std::string, int>> reasons_not_planned(const Plan& plan) {
  std::map<std::string, int> counts;
  for (const auto& one : plan.not_planned) ++counts[one.reason];
  std::vector<std::pair<std::string, int>> reasons(counts.begin(), counts.end());
  std::ranges::stable_sort(reasons, std::greater<>{}, [](const auto& reason) { return reason.second; });
  return reasons;
}

}  // namespace ordercheck
