// How many stacks a second one core judges: the ids of all rules that fire, and whole answers (smallest conflict, repairs, text).
//
//   check-rate RULES_FOLDER
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "check/drawn_stacks.h"
#include "matrix/knowledge.h"
#include "rules/check.h"
#include "rules/render.h"
#include "rules/repair.h"

namespace ordercheck::bench {
namespace {

constexpr std::size_t kStacks = 20'000, kAnswers = 1'000;
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

int run(const std::string& rules) {
  const auto known = load_knowledge(rules);
  const auto target = known ? settled_target("pytorch", "", *known) : Result<SettledTarget>(known.error());
  if (!target) return fmt::print(stderr, "check-rate: {}\n", target.error().message), 2;
  const Judge judge(known->rules, target->target, known->observations);
  const std::vector<Stack> stacks = StackDraw(judge.rules(), 1554).many(kStacks);

  std::size_t ids = 0;
  const double listed = per_second([&] {
    for (const Stack& stack : stacks) {
      StackMatch match = judge.match(stack);
      ids += judge.fired(match).size();
    }
    return stacks.size();
  });
  std::size_t bytes = 0;
  RepairSearch search(judge);
  const double answered = per_second([&] {
    for (std::size_t i = 0; i < kAnswers; ++i) bytes += render_text(check(stacks[i], judge, search), false).size();
    return kAnswers;
  });
  if (ids == 0 || bytes == 0) return fmt::print(stderr, "check-rate: nothing was found\n"), 3;
  fmt::print(
      "{} rules; stacks a second on one core: {:.0f} with the ids of all rules that fire, {:.0f} with the whole answer\n",
      judge.rules().size(), listed, answered);
  return 0;
}

}  // namespace
}  // namespace ordercheck::bench

int main(int argc, char** argv) {
  if (argc != 2) return fmt::print(stderr, "usage: check-rate RULES_FOLDER\n"), 2;
  return ordercheck::bench::run(argv[1]);
}
