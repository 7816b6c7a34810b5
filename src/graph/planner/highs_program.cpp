#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <interfaces/highs_c_api.h>

#include "graph/planner/integer_program.h"

namespace ordercheck::placing {
namespace {

// Tolerances: a value within kNear of 0 or 1 is integral, and costs differ from half a unit on.
constexpr double kNear = 1e-6;
constexpr double kHalf = 0.5;
// Prices of the relaxation within this are equal: they are sums of integer costs over small integers.
constexpr double kSame = 1e-4;

bool is_near_whole(double value) { return value < kNear || value > 1 - kNear; }

struct Destroyed {
  void operator()(void* highs) const { Highs_destroy(highs); }
};

// Uses the C interface, because HiGHS builds differ in their C++ standard library.
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
    // Copied, because search() overwrites the prices of the relaxation.
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
    // If setting a variable to 1 lifts the relaxation above the least cost, it is 1 in no optimal solution. With an integral
    // relaxation, any lift rules it out; prices may be fractions even then.
    const double lift = solution_.relaxation_was_whole ? kSame : static_cast<double>(solution_.cost) + kHalf - bound;
    for (const double reduced : reduced_costs) solution_.may_be_one.push_back(reduced <= lift);
    solution_.feasible = true;
    return solution_;
  }

 private:
  void* highs() const { return highs_.get(); }

  // Loads the relaxation into a new HiGHS instance.
  bool begin() {
    highs_.reset(Highs_create());
    // Plans must not depend on the number of threads or a seed.
    Highs_setBoolOptionValue(highs(), "output_flag", 0);
    Highs_setIntOptionValue(highs(), "threads", 1);
    Highs_setIntOptionValue(highs(), "random_seed", 0);
    // Costs are integers, so a gap below one proves the optimum.
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

  // Retries an infeasible result without presolve: presolve of HiGHS 1.15.1 calls some feasible integer programs infeasible.
  Status relax() {
    if (!begin()) return refused();
    if (Status ran = run("a linear program"); !ran || found_) return ran;
    Highs_clearSolver(highs());
    Highs_setStringOptionValue(highs(), "presolve", "off");
    return run("a linear program");
  }

  Status search() {
    if (!begin()) return refused();
    // Presolve is off for the reason given at relax().
    Highs_setStringOptionValue(highs(), "presolve", "off");
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable) {
      if (program_.whole[variable]) Highs_changeColIntegrality(highs(), static_cast<HighsInt>(variable), kHighsVarTypeInteger);
    }
    return run("an integer program");
  }

  // Whether the row has a nonzero dual value, so that it changes a variable's reduced cost.
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
  bool found_ = false;  // whether the last run found a solution, and which
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
