#include "import/recording/order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/wording.h"

namespace ordercheck {
namespace {

// Whether the call runs within the module: it checkpoints a method that `__call__` calls, so that hooks are outside of it.
bool is_inside(const RecordedSite& site) {
  const std::string function = option(site, "function");
  return site.call == "checkpoint" && !function.empty() && function != "__call__";
}

// The position in time. A call within a module's forward is inside of all that was applied to the module.
long long time_of(std::size_t event, const Recording& recording) {
  const bool inside = is_inside(recording.sites[recording.events[event].site]);
  return static_cast<long long>(event) - (inside ? static_cast<long long>(recording.events.size()) : 0);
}

// When a transform reached a module, first and last.
struct Times {
  long long first = 0;
  long long last = 0;
};
using TimesByName = std::map<std::string, Times>;

// Modules that two transforms share and that vote for one of them to be the first: a name for each.
struct Votes {
  std::optional<std::string> first, second;

  void count(const std::string& name, const Times& one, const Times& other) {
    if (one.first < other.last && !first) first = name;
    if (other.first < one.last && !second) second = name;
  }
  bool differ() const { return first && second; }
};

// The names of the modules that hold `name`, from the model on, and `name` itself.
std::vector<std::string> holders_of(const std::string& name) {
  std::vector<std::string> all{""};
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) all.push_back(name.substr(0, dot));
  if (!name.empty()) all.push_back(name);
  return all;
}

class Precedence {
 public:
  explicit Precedence(const Recording& recording) : recording_(recording) {}

  // Whether `one` is applied before `other`; nullopt if no module tells. Adds a note if modules differ.
  std::optional<bool> is_before(const AppliedTransform& one, const AppliedTransform& other,
                                std::vector<NotUnderstood>& notes) const {
    if (one.name == "pp" || other.name == "pp") return is_before_pipeline(one, other);
    // A forward applies these whenever it runs, so that the optimizer was made before the first call of them.
    if (one.name == "optimizer" && (is_of_forward(other) || holds_the_model(one))) return false;
    if (other.name == "optimizer" && (is_of_forward(one) || holds_the_model(other))) return true;
    const TimesByName of_one = times_of(one), of_other = times_of(other);
    for (const bool same : {true, false}) {
      const Votes votes = votes_of(of_one, of_other, same);
      if (votes.differ()) notes.push_back(differing(one, other, votes));
      if (votes.first || votes.second)
        return votes.differ() ? one.events.front() < other.events.front() : votes.first.has_value();
    }
    return std::nullopt;
  }

 private:
  // A model that is split keeps the modules of its stage: a transform that reached others was applied before.
  static std::optional<bool> is_before_pipeline(const AppliedTransform& one, const AppliedTransform& other) {
    const bool is_first = one.name == "pp";
    const AppliedTransform& transform = is_first ? other : one;
    const bool reached_others =
        std::ranges::any_of(transform.modules, [](const ReachedModule& module) { return !module.is_known; });
    return reached_others != is_first;
  }

  // Whether an optimizer has parameters that models have, and none that they lost.
  bool holds_the_model(const AppliedTransform& optimizer) const {
    return std::ranges::all_of(optimizer.events, [&](std::size_t event) {
      const auto found = std::ranges::find(recording_.optimizers, event, &RecordedOptimizer::event);
      return found != recording_.optimizers.end() && (found->not_in_model == 0 || recording_.not_held.empty());
    });
  }

  bool is_of_forward(const AppliedTransform& transform) const {
    const std::vector<std::string> calls{"checkpoint", "context_parallel", "context parallel attention", "autocast"};
    return std::ranges::all_of(transform.events, [&](std::size_t event) {
      return contains(calls, recording_.sites[recording_.events[event].site].call);
    });
  }

  TimesByName times_of(const AppliedTransform& transform) const {
    TimesByName all;
    for (const ReachedModule& module : transform.modules) {
      const long long time = time_of(module.event, recording_);
      const auto [at, is_new] = all.try_emplace(module.name, Times{.first = time, .last = time});
      if (!is_new) at->second = {.first = std::min(at->second.first, time), .last = std::max(at->second.last, time)};
    }
    return all;
  }

  static Votes votes_of(const TimesByName& one, const TimesByName& other, bool same) {
    Votes votes;
    for (const auto& [name, times] : one) {
      if (same) {
        if (const auto found = other.find(name); found != other.end()) votes.count(name, times, found->second);
        continue;
      }
      for (const std::string& holder : holders_of(name))
        if (const auto found = other.find(holder); found != other.end()) votes.count(name, times, found->second);
    }
    if (same) return votes;
    for (const auto& [name, times] : other)
      for (const std::string& holder : holders_of(name))
        if (const auto found = one.find(holder); found != one.end()) votes.count(name, found->second, times);
    // An entry of a plan such as "layers.*.attention" matches the modules of every number.
    for (const auto& [name, times] : one)
      for (const auto& [inner, later] : other)
        if ((name.find('*') != name.npos || inner.find('*') != inner.npos) && (holds(name, inner) || holds(inner, name)))
          votes.count(name, times, later);
    return votes;
  }

  NotUnderstood differing(const AppliedTransform& one, const AppliedTransform& other, const Votes& votes) const {
    const auto name = [](const std::string& module) { return module.empty() ? std::string("the model") : module; };
    return {.text = one.name + " and " + other.name,
            .where = place_of(recording_.sites[recording_.events[other.events.front()].site]),
            .why = fmt::format("their order differs between modules: {} first on {}, {} first on {}", one.name,
                               name(*votes.first), other.name, name(*votes.second))};
  }

  const Recording& recording_;
};

NotUnderstood cycle_at(const AppliedTransform& transform, const Recording& recording) {
  return {.text = transform.name,
          .where = place_of(recording.sites[recording.events[transform.events.front()].site]),
          .why = "modules have different orders of three or more transforms, so that no stack has them all"};
}

}  // namespace

RecordedOrder order_of(const AppliedTransforms& applied, const Recording& recording) {
  RecordedOrder made;
  const Precedence precedence(recording);
  const std::size_t count = applied.all.size();
  std::vector<std::set<std::size_t>> before(count);  // what has to come earlier
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b)
      if (const auto first = precedence.is_before(applied.all[a], applied.all[b], made.not_understood))
        *first ? before[b].insert(a) : before[a].insert(b);
  std::vector<bool> placed(count);
  while (made.transforms.size() < count) {
    // The earliest transform with nothing left before it; the earliest of all if there is a cycle.
    std::optional<std::size_t> next, earliest;
    for (std::size_t at = 0; at < count; ++at) {
      if (placed[at]) continue;
      const bool is_free = std::ranges::all_of(before[at], [&](std::size_t other) { return placed[other]; });
      const auto is_earlier = [&](const std::optional<std::size_t>& than) {
        return !than || applied.all[at].events.front() < applied.all[*than].events.front();
      };
      if (is_earlier(earliest)) earliest = at;
      if (is_free && is_earlier(next)) next = at;
    }
    const std::size_t chosen = next.value_or(*earliest);
    if (!next) made.not_understood.push_back(cycle_at(applied.all[chosen], recording));
    placed[chosen] = true;
    made.transforms.push_back(&applied.all[chosen]);
  }
  return made;
}

std::vector<FamilyOrder> family_orders(const RecordedOrder& order, const Recording& recording, const RecordedModel& model) {
  // The transforms of each module, then of each pattern how many modules have which.
  std::map<std::string, std::map<std::string, long long>> by_module;  // the time of each transform
  for (const AppliedTransform* transform : order.transforms)
    for (const ReachedModule& module : transform->modules) {
      if (recording.events[module.event].class_name.empty()) continue;  // an optimizer, or a context
      const bool is_planned = recording.sites[recording.events[module.event].site].call == "parallelize_module";
      const bool is_expert = family_of(pattern_of(module.name), model) == "experts";
      const std::string block = is_planned && !is_expert ? block_of(module.name) : "";
      auto& times = by_module[block.empty() ? module.name : block];
      times.try_emplace(transform->name, time_of(module.event, recording));
    }
  std::map<std::string, std::map<std::string, int>> rows;
  for (const auto& [module, times] : by_module) {
    std::vector<std::pair<long long, std::string>> sorted;
    for (const auto& [name, time] : times) sorted.emplace_back(time, name);
    std::ranges::sort(sorted);
    std::vector<std::string> names;
    for (const auto& [time, name] : sorted) names.push_back(name);
    const std::string pattern = pattern_of(module);
    const auto found = model.modules.find(pattern);
    // A plan names the modules of every number at once.
    const bool is_all = module == pattern && found != model.modules.end();
    rows[pattern][join(names, ", ")] += is_all ? found->second.count : 1;
  }
  std::vector<FamilyOrder> made;
  for (auto& [pattern, orders] : rows) {
    const auto found = model.modules.find(pattern);
    int rest = found == model.modules.end() ? 0 : found->second.count;
    for (const auto& [names, count] : orders) rest -= count;
    const bool has_rest = rest > 0 && pattern.find('*') != pattern.npos;
    if (has_rest) orders["nothing"] += rest;
    for (const auto& [names, count] : orders)
      made.push_back({.family = family_of(pattern, model), .modules = pattern, .count = count, .order = names});
  }
  const std::vector<std::string> families{"embedding", "blocks", "in blocks", "experts", "head", "other", "model"};
  std::ranges::stable_sort(made, {}, [&](const FamilyOrder& one) { return std::ranges::find(families, one.family); });
  return made;
}

}  // namespace ordercheck
