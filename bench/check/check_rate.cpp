// How many stacks a second one core judges: ids of pages, whole answers, and legal orders listed. With --dump FILE it writes the pages,
// some of the stacks and what it finds on them, for other tools to find the same.
//
//   check-rate RULES_FOLDER [--dump FILE]
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/check.h"
#include "check/drawn_stacks.h"
#include "check/order_walk.h"
#include "check/render.h"
#include "check/repair.h"
#include "knowledge/knowledge.h"
#include "knowledge/target.h"
#include "rule/when.h"
#include "stack/notation.h"

namespace ordercheck::bench {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kStacks = 20'000, kAnswers = 1'000, kDumped = 1'000;
constexpr std::size_t kMostOrders = 40'000'000;
constexpr double kLeastSeconds = 2;

// Rounds of `work`, which says how much it did, until they took long enough; how much a second.
template <class Work>
double per_second(Work work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::size_t done = 0;
  double seconds = 0;
  while (seconds < kLeastSeconds) {
    done += work();
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return static_cast<double>(done) / seconds;
}

std::vector<std::string> ids_on(const Stack& stack, const Judge& judge) {
  StackMatch match = judge.match(stack);
  std::vector<std::string> ids;
  for (const std::size_t page : places_in(judge.fired(match))) ids.push_back(judge.rules()[page].id);
  return ids;
}

Json dumped(const Rule& rule) {
  return {{"id", rule.id},
          {"kind", name_of(rule.kind)},
          {"one", print(rule.one)},
          {"other", print(rule.other)},
          {"between", print(rule.between)},
          {"unless", print(rule.unless)},
          {"scopes", name_of(rule.scopes)}};
}

// Conditions are worked out here for every tool: none of them is about arithmetic.
Json dumped(const Stack& stack, const Judge& judge) {
  Json items = Json::array();
  for (const Item& item : stack.items) {
    Json options = Json::object();
    for (const Option& option : item.options) options[option.name] = option.value;
    items.push_back({{"name", item.name}, {"mode", item.mode}, {"options", options}, {"scope", name_of(scope_of(item))}});
  }
  const ConditionValues values = condition_values(stack, judge.job());
  Json met = Json::array();
  for (const Rule& rule : judge.rules())
    if (!judge.is_silenced(rule) && (!rule.when || is_met(*rule.when, values))) met.push_back(rule.id);
  return {{"text", print(stack)}, {"items", items}, {"met", met}, {"ids", ids_on(stack, judge)}};
}

int run(const std::string& rules, const std::string& dump) {
  const auto known = load_knowledge(rules);
  const auto target = known ? settled_target("pytorch", "", *known) : Result<SettledTarget>(known.error());
  if (!target) return fmt::print(stderr, "check-rate: {}\n", target.error().message), 2;
  const Judge judge(known->rules, target->target, known->observations);
  const std::vector<Stack> stacks = StackDraw(judge.rules(), 1554).many(kStacks);

  if (!dump.empty()) {
    Json all{{"pages", Json::array()}, {"stacks", Json::array()}};
    for (const Rule& rule : judge.rules()) all["pages"].push_back(dumped(rule));
    for (std::size_t i = 0; i < kDumped; ++i) all["stacks"].push_back(dumped(stacks[i], judge));
    std::ofstream(dump) << all;
  }

  std::size_t ids = 0;
  const double listed = per_second([&] {
    for (const Stack& stack : stacks) ids += ids_on(stack, judge).size();
    return stacks.size();
  });
  std::size_t bytes = 0;
  RepairSearch search(judge);
  const double answered = per_second([&] {
    for (std::size_t i = 0; i < kAnswers; ++i) bytes += render_text(check(stacks[i], judge, search), false).size();
    return kAnswers;
  });
  const auto items = parse_stack("pp=2,tp=2,cp=2,ep=2,ac,sac,compile,fsdp=2,amp=bf16,quantize=fp8,optimizer=sgd");
  const OrderWalk walk(*items, judge);
  std::size_t places = 0;
  const double ordered = per_second([&] {
    std::size_t orders = 0;
    walk.each([&](std::span<const std::uint8_t> order) {
      places += order.back();
      return ++orders < kMostOrders;
    });
    return orders;
  });
  if (ids == 0 || bytes == 0 || places == 0) return fmt::print(stderr, "check-rate: nothing was found\n"), 3;
  fmt::print("{}\n", Json{{"ids", listed}, {"answers", answered}, {"orders", ordered}}.dump());
  return 0;
}

}  // namespace
}  // namespace ordercheck::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 1 && (words.size() != 3 || words[1] != "--dump"))
    return fmt::print(stderr, "usage: check-rate RULES_FOLDER [--dump FILE]\n"), 2;
  return ordercheck::bench::run(words[0], words.size() == 3 ? words[2] : "");
}
