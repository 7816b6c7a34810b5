// overhead: what share of a case's CPU time is not the ranks' arithmetic. Runs cases as a matrix does (its plan of one
// case: the case, its self-run, its reference, its twins; a pool of one worker, a journal, the judgement), each in two
// sessions that take turns: one with clocks in the worker, to see where the time goes, and one without, for the whole.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "clocks.h"
#include "figures.h"
#include "matrix/engine_runner.h"
#include "matrix/run_plan.h"
#include "rules/load.h"
#include "rules/orders.h"

namespace ordercheck::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kGoal = 0.15;

struct Options {
  std::string worker, rules;
  std::vector<std::string> cases{"(nothing)", "ac", "ddp=2", "tp=2,fsdp=2", "tp=2,ac,fsdp=2", "tp=2,sac,compile,fsdp=2"};
  int repetitions = 5;
};

[[noreturn]] void stop(const std::string& message) {
  fmt::print(stderr, "overhead: {}\n", message);
  std::exit(2);
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(result).value();
}

double children_cpu_seconds() {
  rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](timeval t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// One case once, in seconds.
struct Turn {
  std::size_t runs = 0;
  double wall = 0, supervisor = 0, worker = 0, main = 0, kernels = 0, operators = 0, calls = 0;

  double total() const { return supervisor + worker; }
};

struct OperatorLine {
  std::string name;
  std::int64_t calls = 0;
  double ns = 0;
};

// A pool of one worker for the length of the program.
class Session {
 public:
  Session(const Options& options, const fs::path& folder, bool clocked)
      : figures_(folder / (clocked ? "clocked.figures" : "plain.figures")) {
    EngineSpec spec{.name = "native",
                    .command = {options.worker},
                    .environment = {fmt::format("{}={}", kFiguresVariable, figures_.string())}};
    if (clocked) spec.environment.push_back(fmt::format("{}=1", kClockVariable));
    runner_ = value_of(EngineRunner::start(spec, {.jobs = 1, .limits = {}, .stop = nullptr}));
    const Status journal = runner_->resume_from(folder / (clocked ? "clocked.journal" : "plain.journal"), true);
    if (!journal) stop(journal.error().message);
  }

  void run(const Case& c, const std::vector<Rule>& rules, const fs::path& folder) {
    Turn turn;
    const double began = wall_seconds(), cpu = 1e-9 * static_cast<double>(process_cpu_ns());
    const std::vector<Observation> nothing_observed;
    const Judge judge(rules, target_of(runner_->hello()), nothing_observed);
    const Recommend recommend = [&](const Stack& stack) { return std::optional(recommended_order(stack, judge)); };
    const Plan plan{.engine = "native", .cases = {{.subject = c, .sources = {{SourceKind::order, ""}}}}, .not_planned = {}};
    RunOptions options{.values_folder = folder, .on_progress = {}, .fault = {}};
    options.on_progress = [&](std::size_t done, std::size_t) { turn.runs = done; };
    const PlanResult result = value_of(run_plan(plan, *runner_, rules, recommend, options));
    turn.wall = wall_seconds() - began;
    turn.supervisor = 1e-9 * static_cast<double>(process_cpu_ns()) - cpu;
    if (result.cases.size() != 1 || result.cases[0].record.ending != Ending::completed)
      stop(fmt::format("{} did not complete; only what completes can be measured", print(c)));
    turns_.push_back(turn);
  }

  // Ends the worker, whose figures are whole only then.
  void finish() {
    const double before = children_cpu_seconds();
    runner_.reset();
    whole_worker_ = children_cpu_seconds() - before;
    std::ifstream file(figures_);
    const std::vector<Figures> lines{std::istream_iterator<Figures>(file), {}};
    const std::size_t runs = std::accumulate(turns_.begin(), turns_.end(), std::size_t{0},
                                             [](std::size_t sum, const Turn& turn) { return sum + turn.runs; });
    if (lines.size() != runs + 1) stop(fmt::format("{}: expected {} lines, got {}", figures_.string(), runs + 1, lines.size()));
    std::size_t at = 0;
    for (Turn& turn : turns_) {
      const Figures& first = lines[at];
      for (std::size_t i = 0; i < turn.runs; ++i) {
        const Figures& after = lines[++at];
        turn.kernels += 1e-9 * static_cast<double>(after.kernels_ns);
        turn.operators += static_cast<double>(after.kernels);
        turn.calls += 1e-9 * static_cast<double>(after.calls_ns);
        kernels_ += after.kernels;
      }
      turn.worker = 1e-9 * static_cast<double>(lines[at].process_ns - first.process_ns);
      turn.main = 1e-9 * static_cast<double>(lines[at].main_ns - first.main_ns);
    }
    start_and_end_ = whole_worker_ - 1e-9 * static_cast<double>(lines.back().process_ns - lines.front().process_ns);
    std::ifstream by_operator(figures_.string() + kOperatorsSuffix);
    for (OperatorLine line; by_operator >> line.name >> line.calls >> line.ns;) operators_.push_back(line);
    std::ranges::sort(operators_, std::greater<>{}, &OperatorLine::ns);
    if (!(start_and_end_ > 0)) stop("the worker's clocks say more than what the system says that it used");
  }

  const std::vector<Turn>& turns() const { return turns_; }
  double start_and_end() const { return start_and_end_; }
  std::int64_t kernels() const { return kernels_; }
  const std::vector<OperatorLine>& operators() const { return operators_; }  // the longest first

 private:
  fs::path figures_;
  std::unique_ptr<EngineRunner> runner_;
  std::vector<Turn> turns_;
  double whole_worker_ = 0;
  double start_and_end_ = 0;
  std::int64_t kernels_ = 0;
  std::vector<OperatorLine> operators_;
};

// Of one case or of all: the whole from turns without clocks, the parts from turns with them.
struct Shares {
  double total = 0, wall = 0;
  double operators = 0;  // kernels that ran, in all runs of the turns with clocks
  double kernels = 0, calls = 0, around = 0, main = 0, supervisor = 0, start = 0;  // of the total

  double rest() const { return 1 - kernels; }
};

Shares shares_of(const Turn& whole, const Turn& clocked, double start) {
  const double total = whole.total() + start;
  return {.total = total,
          .wall = whole.wall,
          .operators = clocked.operators,
          .kernels = clocked.kernels / total,
          .calls = clocked.calls / total,
          .around = (whole.worker - whole.main - clocked.kernels) / total,
          .main = whole.main / total,
          .supervisor = whole.supervisor / total,
          .start = start / total};
}

Turn sum(const std::vector<Turn>& turns) {
  Turn all;
  for (const Turn& t : turns) {
    all.runs += t.runs;
    for (double Turn::* part :
         {&Turn::wall, &Turn::supervisor, &Turn::worker, &Turn::main, &Turn::kernels, &Turn::operators, &Turn::calls})
      all.*part += t.*part;
  }
  return all;
}

// The turns of case i (of n), or with i = -1 all of repetition r.
std::vector<Turn> of_case(const std::vector<Turn>& turns, std::size_t i, std::size_t n) {
  std::vector<Turn> own;
  for (; i < turns.size(); i += n) own.push_back(turns[i]);
  return own;
}

void print_row(const std::string& name, std::size_t runs, const Shares& s, std::size_t repetitions) {
  const auto n = static_cast<double>(repetitions);
  fmt::print("{:<26} {:>4} {:>6.2f} {:>6.2f}  {:>7.0f} {:>6.1f} {:>6.1f} {:>6.1f} {:>6.1f} {:>6.1f}\n", name, runs, s.total / n,
             s.wall / n, s.operators / n / static_cast<double>(runs), 100 * s.kernels, 100 * s.around, 100 * s.main,
             100 * s.supervisor + 100 * s.start, 100 * s.rest());
}

// The kernels that take the most.
void print_operators(const Session& clocked) {
  const std::vector<OperatorLine>& operators = clocked.operators();
  double all = 0;
  for (const OperatorLine& o : operators) all += o.ns;
  fmt::print("\n{:<34} {:>9} {:>9} {:>9}\n", "kernels of", "calls", "us each", "% of all");
  for (std::size_t i = 0; i < std::min<std::size_t>(operators.size(), 12); ++i)
    fmt::print("{:<34} {:>9} {:>9.1f} {:>9.1f}\n", operators[i].name, operators[i].calls,
               1e-3 * operators[i].ns / static_cast<double>(operators[i].calls), 100 * operators[i].ns / all);
}

void report(const Options& options, const Session& whole, const Session& clocked) {
  const std::size_t n = options.cases.size(), repetitions = static_cast<std::size_t>(options.repetitions);
  fmt::print(
      "{} turns of {} cases, alternating without and with clocks; CPU of all processes and wall time in seconds a case,\n"
      "kernels a run, shares in percent of the CPU time\n\n",
      repetitions, n);
  fmt::print("{:<26} {:>4} {:>6} {:>6}  {:>7} {:>6} {:>6} {:>6} {:>6} {:>6}\n", "case", "runs", "CPU", "wall", "kernels",
             "arith", "around", "record", "super", "rest");
  for (std::size_t i = 0; i < n; ++i) {
    const auto turns = of_case(whole.turns(), i, n);
    print_row(options.cases[i], turns[0].runs, shares_of(sum(turns), sum(of_case(clocked.turns(), i, n)), 0), repetitions);
  }
  const Turn all = sum(whole.turns()), all_clocked = sum(clocked.turns());
  const Shares total = shares_of(all, all_clocked, whole.start_and_end());
  print_row("all, with the worker's start", all.runs / repetitions, total, repetitions);

  std::vector<double> rests;
  for (std::size_t r = 0; r < repetitions; ++r) {
    const auto turns_of = [&](const std::vector<Turn>& turns) {
      return sum({turns.begin() + static_cast<long>(r * n), turns.begin() + static_cast<long>((r + 1) * n)});
    };
    rests.push_back(
        shares_of(turns_of(whole.turns()), turns_of(clocked.turns()), whole.start_and_end() / static_cast<double>(repetitions))
            .rest());
  }
  std::ranges::sort(rests);
  const double cost = all_clocked.total() / all.total() - 1;
  fmt::print("\nclocks: {} kernels watched, {:.1f} % more CPU time with them than without\n", clocked.kernels(), 100 * cost);
  fmt::print("one worker's start and end: {:.2f} s of CPU, {:.1f} % of all here\n", whole.start_and_end(), 100 * total.start);
  fmt::print("not the ranks' arithmetic: {:.1f} % (turns: min {:.1f}, median {:.1f}, max {:.1f})\n", 100 * total.rest(),
             100 * rests.front(), 100 * rests[rests.size() / 2], 100 * rests.back());
  fmt::print("  around the kernels on the rank threads {:.1f}, records {:.1f}, supervisor {:.1f}, start and end {:.1f}\n",
             100 * total.around, 100 * total.main, 100 * total.supervisor, 100 * total.start);
  fmt::print(
      "outside every call of an operator: at least {:.1f} %; calls take in autograd's recording, the operator meter, and\n"
      "  what the clocks cost without reading time\n",
      100 * (1 - total.calls));
  fmt::print("goal: at most {:.0f} %: {}\n", 100 * kGoal, total.rest() <= kGoal ? "met" : "not met");
  print_operators(clocked);
}

int run(const Options& options) {
  const std::vector<Rule> rules = value_of(load_rules(options.rules));
  std::vector<Case> cases;
  for (const std::string& text : options.cases) cases.push_back(value_of(parse_case(text)));
  std::string folder = (fs::temp_directory_path() / "overhead-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) stop("cannot make a folder " + folder);

  Session whole(options, folder, false), clocked(options, folder, true);
  for (int i = 0; i < options.repetitions; ++i)
    for (const Case& c : cases) {
      whole.run(c, rules, folder);
      clocked.run(c, rules, folder);
    }
  whole.finish();
  clocked.finish();
  fs::remove_all(folder);
  report(options, whole, clocked);
  return 0;
}

}  // namespace
}  // namespace ordercheck::bench

int main(int argc, char** argv) {
  ordercheck::bench::Options options;
  CLI::App app("What share of a case's CPU time is not the ranks' arithmetic");
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  options.worker = (folder / "overhead-worker").string();
  options.rules = ORDERCHECK_SOURCE_DIR "/rules";
  app.add_option("cases", options.cases, "Cases to run");
  app.add_option("--repetitions", options.repetitions, "Times that each is run")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return ordercheck::bench::run(options);
}
