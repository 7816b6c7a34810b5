// A runner whose runs keep what they were asked to, and rounding that a test chooses.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "matrix/run_plan.h"
#include "stack/notation.h"
#include "unit/matrix/fake_runner.h"

namespace ordercheck {

// Gradients of size 1 that are off by rounding in float32 arithmetic; one of them, of the case and its twins, also by a factor.
class Float32Runs : public testing::Test {
 protected:
  explicit Float32Runs(const Case& c) : case_(c) {
    for (const std::string& stack : {print(c.stack), std::string(), std::string("amp")})
      runner_.corrupt(stack, [this](Record& record, const Request& request) { keep(record, request); });
  }
  void TearDown() override { std::filesystem::remove_all(values_); }

  void keep(Record& record, const Request& request) {
    const Settings& settings = request.run.subject.settings;
    const bool float32 = settings.arithmetic == Arithmetic::float32;
    if (float32 && corrupt_) corrupt_(record, request);
    if (request.run.keep != Keep::values || record.ending != Ending::completed) return;
    const double rounding = float32 ? 1e-6 * (1 + 0.01 * settings.accumulation) : 0;
    const auto write = [&](Phase phase, int step, const std::string& what, double first) {
      const std::string name = std::to_string(record.trace.size());
      const double values[2] = {first, 0};
      std::ofstream(request.run.values_folder + "/" + name, std::ios::binary)
          .write(reinterpret_cast<const char*>(values), sizeof values);
      record.trace.push_back({.step = step, .phase = phase, .module = what, .hash = hash_of(what), .file = name});
    };
    for (int step = 0; step < settings.steps; ++step)
      for (const ParameterRecord& p : record.parameters) {
        const bool bad = float32 && !request.run.subject.stack.items.empty() && p.name == "output.weight" && step == 0;
        write(Phase::backward, step, "gradient of " + p.name, (1 + rounding) * (bad ? factor_ : 1));
      }
    for (const ParameterRecord& p : record.parameters) write(Phase::optimizer, settings.steps - 1, p.name, 1 + rounding);
  }

  CaseResult run() {
    const Plan plan{.engine = case_.engine, .cases = {{case_, {}}}, .not_planned = {}};
    auto result = run_plan(plan, runner_, {}, recommend_, {.values_folder = values_, .on_progress = {}});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? result->cases.at(0) : CaseResult{};
  }

  Case case_;
  FakeRunner runner_;
  FakeRunner::Corrupt corrupt_;
  Recommend recommend_;
  double factor_ = 1;  // of one gradient of the case
  std::filesystem::path values_ = std::filesystem::path(testing::TempDir()) /
                                  ("float32_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

}  // namespace ordercheck
