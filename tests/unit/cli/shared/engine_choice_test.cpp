#include "cli/shared/engine_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engines/fake_engine.h"
#include "unit/matrix/variable.h"

namespace ordercheck::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<EngineFile> known() {
  std::vector<EngineFile> engines = load_engine_files("").value();
  engines.push_back({.name = "third", .command = {"/some/worker"}, .timeout = std::chrono::seconds(7)});
  return engines;
}

std::string error_of(const EngineChoice& choice, const std::string& apply = "") {
  const auto specs = engines_of(choice, known(), apply);
  return specs ? "none" : specs.error().message;
}

TEST(EngineChoice, TakesTheOneThatWasSaid) {
  const auto specs = engines_of({.engine = "third"}, known());
  ASSERT_TRUE(specs) << specs.error().message;
  ASSERT_EQ(specs->size(), 1u);
  EXPECT_EQ(specs->front().name, "third");
  EXPECT_EQ(timeout_of({}, specs->front()), 7);
  EXPECT_EQ(timeout_of({.timeout = 0.5}, specs->front()), 0.5);
}

TEST(EngineChoice, WhereNoneWasSaidTheWorkerOfTheEnvironmentIsWhatItsHelloSays) {
  const Variable worker("ORDERCHECK_WORKER", ORDERCHECK_BINARY_DIR "/bin/fake_worker");
  EXPECT_EQ(engines_of({}, known())->front().name, "");
  EXPECT_EQ(engines_of({.engine = "native"}, known())->front().name, "native");
  EXPECT_THAT(engines_of({.engine = "third"}, known())->front().command, ElementsAre("/some/worker"));
}

TEST(EngineChoice, AnInterpreterOrAFunctionMeansTheEngineThatRunsInOne) {
  const Variable python("ORDERCHECK_PYTHON", "");
  EXPECT_THAT(error_of({}, "pkg:function"), HasSubstr("pytorch engine: no interpreter is named"));
  EXPECT_THAT(error_of({.pythons = {"/nowhere/python"}}), HasSubstr("/nowhere/python"));
  EXPECT_THAT(error_of({.engine = "third", .pythons = {"python3"}}),
              HasSubstr("--python names an interpreter, and --engine third runs none"));
  EXPECT_THAT(error_of({.engine = "third"}, "pkg:function"), HasSubstr("--engine third runs none"));
}

TEST(EngineChoice, AnUnknownNameIsToldWithThoseThatAreKnown) {
  EXPECT_EQ(error_of({.engine = "thrid"}),
            "there is no engine 'thrid'; did you mean 'third'? known: accelerate, automodel, deepspeed, lightning, modalities, "
            "native, olmo_core, pytorch, torchao, torchtitan, third");
  EXPECT_EQ(error_of({.engine = "jax"}),
            "there is no engine 'jax'; known: accelerate, automodel, deepspeed, lightning, modalities, native, olmo_core, "
            "pytorch, torchao, torchtitan, third");
}

TEST(Fault, IsReadAsItIsWritten) {
  const auto fault = parse_fault("hang:1:layers.0.attention:backward");
  ASSERT_TRUE(fault) << fault.error().message;
  EXPECT_EQ(fault->kind, "hang");
  EXPECT_EQ(fault->rank, 1);
  EXPECT_EQ(fault->module, "layers.0.attention");
  EXPECT_EQ(fault->phase, Phase::backward);
}

TEST(Fault, ARankBeyondIntIsNotAnotherRank) {
  EXPECT_TRUE(parse_fault("crash:2147483647:a"));
  for (const char* rank : {"2147483648", "4294967296", "-1", "9223372036854775808", "x"})
    EXPECT_FALSE(parse_fault(std::string("crash:") + rank + ":a")) << rank;
}

TEST(Fault, AMessageIsOneLine) {
  const auto fault = parse_fault("crash:\n:a");
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().message, "fault 'crash:\\n:a': '\\n' is no rank");
}

}  // namespace
}  // namespace ordercheck::cli
