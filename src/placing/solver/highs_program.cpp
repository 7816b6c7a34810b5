#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <interfaces/highs_c_api.h>

#include "placing/solver/integer_program.h"

namespace ordercheck::placing {
namespace {

// A solver's value counts as whole this near to 0 or 1, and a cost as another from half a unit on.
constexpr double kNear = 1e-6;
constexpr double kHalf = 0.5;
// Prices of the relaxation are the same within this; they are sums of whole costs over small whole numbers.
constexpr double kSame = 1e-4;

bool is_near_whole(double value) { return value < kNear || value > 1 - kNear; }

struct Destroyed {
  void operator()(void* highs) const { Highs_destroy(highs); }
};

// Through the interface for C: builds of HiGHS differ in the C++ library that they were made with.
bool pass_relaxation(void* highs, const IntegerProgram& program) {
  std::vector<double> costs(program.costs.begin(), program.costs.end()), lows(costs.size(), 0.0),
      uppers(costs.size(), Highs_getInfinity(highs));
  std::vector<double> row_lows, row_highs, coefficients;
  std::vector<HighsInt> starts{0}, variables;
  for (const ProgramRow& row : program.rows) {
    row_lows.push_back(static_cast<double>(row.low));
    row_highs.push_back(static_cast<double>(row.high));
    for (const ProgramTerm& term : row.terms) {
      variables.push_back(term.variable);
      coefficients.push_back(static_cast<double>(term.coefficient));
    }
    starts.push_back(static_cast<HighsInt>(variables.size()));
  }
  return Highs_passLp(highs, static_cast<HighsInt>(costs.size()), static_cast<HighsInt>(row_lows.size()),
                      static_cast<HighsInt>(variables.size()), kHighsMatrixFormatRowwise, kHighsObjSenseMinimize, 0.0,
                      costs.data(), lows.data(), uppers.data(), row_lows.data(), row_highs.data(), starts.data(),
                      variables.data(), coefficients.data()) != kHighsStatusError;
}

class Solving {
 public:
  explicit Solving(const IntegerProgram& program) : program_(program) {}

  Result<ProgramSolution> solve() {
    if (const Status relaxed = relax(); !relaxed) return relaxed.error();
    if (!found_) return solution_;
    const double bound = cost_;
    const std::vector<double> reduced_costs = reduced_costs_;
    for (std::size_t row = 0; row < program_.rows.size(); ++row) solution_.is_tight.push_back(is_priced(row));
    solution_.relaxation_was_whole = is_whole();
    if (!solution_.relaxation_was_whole) {
      if (const Status searched = search(); !searched) return searched.error();
      if (!found_) return solution_;
    }
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable)
      solution_.ones.push_back(program_.whole[variable] && point_[variable] > kHalf);
    solution_.cost = std::llround(cost_);
    // A variable that alone lifts the relaxation above the least cost is 1 in no solution of that cost. Where the relaxation is whole,
    // any that lifts it at all; prices may be fractions even then.
    const double lift = solution_.relaxation_was_whole ? kSame : static_cast<double>(solution_.cost) + kHalf - bound;
    for (const double reduced : reduced_costs) solution_.may_be_one.push_back(reduced <= lift);
    solution_.feasible = true;
    return solution_;
  }

 private:
  void* highs() const { return highs_.get(); }

  // The relaxation, in a HiGHS that has solved nothing yet.
  bool begin() {
    highs_.reset(Highs_create());
    // Plans must not depend on how many threads there are, nor on a seed.
    Highs_setBoolOptionValue(highs(), "output_flag", 0);
    Highs_setIntOptionValue(highs(), "threads", 1);
    Highs_setIntOptionValue(highs(), "random_seed", 0);
    Highs_setDoubleOptionValue(highs(), "mip_rel_gap", 0.0);
    Highs_setDoubleOptionValue(highs(), "mip_abs_gap", kHalf);
    return pass_relaxation(highs(), program_);
  }

  static Status refused() { return Error{"HiGHS does not take the program"}; }

  Status run(const char* what) {
    if (Highs_run(highs()) == kHighsStatusError) return Error{fmt::format("HiGHS fails on {}", what)};
    const HighsInt ended = Highs_getModelStatus(highs());
    found_ = ended == kHighsModelStatusOptimal;
    if (!found_ && ended != kHighsModelStatusInfeasible)
      return Error{fmt::format("HiGHS ends {} with model status {}", what, ended)};
    if (!found_) return Done{};
    cost_ = Highs_getObjectiveValue(highs());
    point_.resize(program_.costs.size());
    reduced_costs_.resize(program_.costs.size());
    row_duals_.resize(program_.rows.size());
    std::vector<double> row_values(program_.rows.size());
    Highs_getSolution(highs(), point_.data(), reduced_costs_.data(), row_values.data(), row_duals_.data());
    return Done{};
  }

  // That nothing is feasible is not taken from presolve: that of HiGHS 1.15.1 says so of some integer programs that are.
  Status relax() {
    if (!begin()) return refused();
    if (Status ran = run("a linear program"); !ran || found_) return ran;
    Highs_clearSolver(highs());
    Highs_setStringOptionValue(highs(), "presolve", "off");
    return run("a linear program");
  }

  // Branch and bound.
  Status search() {
    if (!begin()) return refused();
    Highs_setStringOptionValue(highs(), "presolve", "off");
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable) {
      if (program_.whole[variable]) Highs_changeColIntegrality(highs(), static_cast<HighsInt>(variable), kHighsVarTypeInteger);
    }
    return run("an integer program");
  }

  // What a row adds to the price of some variable.
  bool is_priced(std::size_t row) const {
    return std::ranges::any_of(program_.rows[row].terms, [&](const ProgramTerm& term) {
      return std::abs(row_duals_[row] * static_cast<double>(term.coefficient)) > kSame;
    });
  }

  bool is_whole() const {
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable) {
      if (program_.whole[variable] && !is_near_whole(point_[variable])) return false;
    }
    return true;
  }

  const IntegerProgram& program_;
  std::unique_ptr<void, Destroyed> highs_;
  bool found_ = false;  // by the last run, and what
  double cost_ = 0;
  std::vector<double> point_, reduced_costs_, row_duals_;
  ProgramSolution solution_;
};

}  // namespace

Result<ProgramSolution> solve_with_highs(const IntegerProgram& program) {
  if (program.costs.empty()) return ProgramSolution{.feasible = true, .relaxation_was_whole = true};
  return Solving(program).solve();
}

}  // namespace ordercheck::placing
