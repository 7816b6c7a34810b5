#include "cli/shared/engine_session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "rules/orders.h"

namespace ordercheck::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Estimates the remaining time from the runs finished so far in this process.
long seconds_left(Clock::time_point begun, std::size_t done, std::size_t asked) {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  return static_cast<long>(seconds / static_cast<double>(done) * static_cast<double>(asked - done));
}

OnProgress progress_bar() {
  return [begun = Clock::now()](std::size_t done, std::size_t asked) {
    constexpr std::size_t kWidth = 30;
    const std::size_t filled = kWidth * done / asked;
    const long left = seconds_left(begun, done, asked);
    fmt::print(stderr, "\r[{:<{}}] {}/{} runs, about {} s left \033[K", std::string(filled, '#'), kWidth, done, asked, left);
    std::fflush(stderr);
  };
}

// Without a terminal, prints a line at growing intervals (about 40 in an hour), so that a CI log shows progress.
OnProgress progress_lines() {
  static constexpr std::chrono::seconds kBetween{20};
  return [begun = Clock::now(), said = Clock::now()](std::size_t done, std::size_t asked) mutable {
    if (done == asked || Clock::now() - said < std::max<Clock::duration>(kBetween, (said - begun) / 10)) return;
    said = Clock::now();
    fmt::print(stderr, "{} of {} runs, about {} s left\n", done, asked, seconds_left(begun, done, asked));
  };
}

Result<std::filesystem::path> make_scratch_folder() {
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  std::string pattern = (temporary / "ordercheck-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr)
    return Error{
        fmt::format("cannot make a folder for tensors in {}; set TMPDIR to one that can be written", temporary.string())};
  return std::filesystem::path(pattern);
}

}  // namespace

Result<std::unique_ptr<EngineSession>> EngineSession::start(const EngineSpec& spec, int jobs, double timeout_seconds) {
  auto scratch = make_scratch_folder();
  if (!scratch) return scratch.error();
  std::unique_ptr<EngineSession> session(new EngineSession);
  session->scratch_ = *scratch;
  PoolOptions options;
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  options.jobs = jobs > 0 ? jobs : std::max(1, threads / spec.threads);
  options.limits.run = std::chrono::milliseconds(static_cast<long long>(timeout_seconds * 1000));
  options.stop = session->interrupt_.get();
  auto runner = EngineRunner::start(spec, options);
  if (!runner) return runner.error();
  session->runner_ = std::move(runner).value();
  return session;
}

EngineSession::~EngineSession() {
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

Result<PlanResult> EngineSession::run(const Plan& plan, const std::vector<Rule>& rules, RunOptions options) {
  // Recommend by rules only: earlier runs must not change the reference of this one.
  const std::vector<Observation> nothing_observed;
  const Judge judge(rules, target_of(runner_->hello()), nothing_observed);
  const Recommend recommend = [&](const Stack& stack) { return std::optional(recommended_order(stack, judge)); };
  options.values_folder = scratch_;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  options.on_progress = terminal ? progress_bar() : progress_lines();
  auto result = run_plan(plan, *runner_, rules, recommend, options);
  if (terminal) fmt::print(stderr, "\r\033[K");
  return result;
}

int exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal:
    case Verdict::close: return kNothingAgainst;
    case Verdict::differs:
    case Verdict::fails:
    case Verdict::hangs:
    case Verdict::ignored: return kDecidedAgainst;
    case Verdict::unstable:
    case Verdict::unrun: return kUndecided;
  }
  return kUndecided;
}

int exit_code_of(const Outcome& outcome) {
  const bool unexplained = outcome.agreement == Agreement::contradiction && outcome.explanation.empty();
  return unexplained ? kDecidedAgainst : exit_code_of(outcome.seen.verdict);
}

int worst_of(const std::vector<int>& exit_codes) {
  for (int code : {kBadInput, kDecidedAgainst, kUndecided})
    if (contains(exit_codes, code)) return code;
  return kNothingAgainst;
}

}  // namespace ordercheck::cli
