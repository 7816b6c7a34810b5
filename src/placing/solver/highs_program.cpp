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

bool is_near_whole(double value) { return value < kNear || value > 1 - kNear; }

struct Destroyed {
  void operator()(void* highs) const { Highs_destroy(highs); }
};

// Through the interface for C: builds of HiGHS differ in the C++ library that they were made with.
bool pass_relaxation(void* highs, const IntegerProgram& program) {
  std::vector<double> costs(program.costs.begin(), program.costs.end()), lows(costs.size(), 0.0), highs_of(costs.size(), 1.0);
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
                      costs.data(), lows.data(), highs_of.data(), row_lows.data(), row_highs.data(), starts.data(),
                      variables.data(), coefficients.data()) != kHighsStatusError;
}

struct Basis {
  std::vector<HighsInt> columns, rows;
};

class Solving {
 public:
  explicit Solving(const IntegerProgram& program) : program_(program), highs_(Highs_create()) {
    // Plans must not depend on how many threads there are, nor on a seed.
    Highs_setBoolOptionValue(highs(), "output_flag", 0);
    Highs_setIntOptionValue(highs(), "threads", 1);
    Highs_setIntOptionValue(highs(), "random_seed", 0);
    Highs_setDoubleOptionValue(highs(), "mip_rel_gap", 0.0);
    Highs_setDoubleOptionValue(highs(), "mip_abs_gap", kHalf);
  }

  Result<ProgramSolution> solve() {
    if (!pass_relaxation(highs(), program_)) return Error{"HiGHS does not take the program"};
    const Status relaxed = run_relaxation();
    if (!relaxed) return relaxed.error();
    if (!found_) return solution_;
    const double bound = cost_;
    const std::vector<double> reduced_costs = reduced_costs_;
    solution_.relaxation_was_whole = is_whole();
    if (!solution_.relaxation_was_whole) {
      if (const Status searched = search(); !searched) return searched.error();
      if (!found_) return solution_;
    }
    accept();
    drop_dearer(bound, reduced_costs);
    if (const Status settled = settle_ties(); !settled) return settled.error();
    solution_.feasible = true;
    return solution_;
  }

 private:
  void* highs() const { return highs_.get(); }

  Status run(const char* what) {
    ++solution_.programs_solved;
    if (Highs_run(highs()) == kHighsStatusError) return Error{fmt::format("HiGHS fails on {}", what)};
    const HighsInt ended = Highs_getModelStatus(highs());
    found_ = ended == kHighsModelStatusOptimal;
    if (!found_ && ended != kHighsModelStatusInfeasible)
      return Error{fmt::format("HiGHS ends {} with model status {}", what, ended)};
    if (!found_) return Done{};
    cost_ = Highs_getObjectiveValue(highs());
    point_.resize(program_.costs.size());
    reduced_costs_.resize(program_.costs.size());
    std::vector<double> row_values(program_.rows.size()), row_duals(program_.rows.size());
    Highs_getSolution(highs(), point_.data(), reduced_costs_.data(), row_values.data(), row_duals.data());
    return Done{};
  }

  Status run_relaxation() { return run("a linear program"); }

  // Branch and bound over what the bounds leave; the relaxation's basis is kept for later.
  Status search() {
    Basis basis{.columns = std::vector<HighsInt>(program_.costs.size()), .rows = std::vector<HighsInt>(program_.rows.size())};
    Highs_getBasis(highs(), basis.columns.data(), basis.rows.data());
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable) {
      if (program_.whole[variable]) Highs_changeColIntegrality(highs(), static_cast<HighsInt>(variable), kHighsVarTypeInteger);
    }
    const Status ran = run("an integer program");
    Highs_clearIntegrality(highs());
    Highs_setBasis(highs(), basis.columns.data(), basis.rows.data());
    return ran;
  }

  bool is_whole() const {
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable) {
      if (program_.whole[variable] && !is_near_whole(point_[variable])) return false;
    }
    return true;
  }

  void accept() {
    solution_.ones.assign(program_.costs.size(), false);
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable)
      solution_.ones[variable] = program_.whole[variable] && point_[variable] > kHalf;
    solution_.cost = std::llround(cost_);
  }

  void fix(int variable, double value) { Highs_changeColBounds(highs(), variable, value, value); }

  // No solution of the least cost has a variable at 1 that alone lifts the relaxation above that cost.
  void drop_dearer(double bound, const std::vector<double>& reduced_costs) {
    dropped_.assign(program_.costs.size(), false);
    for (std::size_t variable = 0; variable < program_.costs.size(); ++variable) {
      if (bound + reduced_costs[variable] <= static_cast<double>(solution_.cost) + kHalf) continue;
      dropped_[variable] = true;
      fix(static_cast<int>(variable), 0);
    }
  }

  int chosen_of(const std::vector<int>& set) const {
    for (const int variable : set) {
      if (solution_.ones[variable]) return variable;
    }
    return -1;
  }

  // Whether a solution of the same cost has this variable at 1, beside what is settled; it is accepted then.
  Result<bool> is_free(int variable) {
    fix(variable, 1);
    const auto is_as_cheap = [&] { return found_ && cost_ <= static_cast<double>(solution_.cost) + kHalf; };
    if (const Status ran = run_relaxation(); !ran) return ran.error();
    bool is_free = is_as_cheap();
    if (is_free && !is_whole()) {
      if (const Status searched = search(); !searched) return searched.error();
      is_free = is_as_cheap();
    }
    if (is_free) {
      accept();
    } else {
      fix(variable, 0);
    }
    return is_free;
  }

  Status settle_ties() {
    for (const std::vector<int>& set : program_.preferred) {
      for (const int variable : set) {
        if (variable == chosen_of(set)) break;
        if (dropped_[variable]) continue;
        const Result<bool> better = is_free(variable);
        if (!better) return better.error();
        if (*better) break;
      }
      if (const int chosen = chosen_of(set); chosen >= 0) fix(chosen, 1);
    }
    return Done{};
  }

  const IntegerProgram& program_;
  std::unique_ptr<void, Destroyed> highs_;
  bool found_ = false;  // by the last run, and what
  double cost_ = 0;
  std::vector<double> point_, reduced_costs_;
  std::vector<bool> dropped_;
  ProgramSolution solution_;
};

}  // namespace

Result<ProgramSolution> solve_with_highs(const IntegerProgram& program) {
  if (program.costs.empty()) return ProgramSolution{.feasible = true};
  return Solving(program).solve();
}

}  // namespace ordercheck::placing
