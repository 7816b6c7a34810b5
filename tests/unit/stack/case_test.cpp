#include "stack/case.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "unit/stack/arbitrary_stack.h"

namespace ordercheck {
namespace {

std::string first_line_of_error(std::string_view text) {
  const Result<Case> c = parse_case(text);
  return c ? "no error: " + print(*c) : c.error().message.substr(0, c.error().message.find('\n'));
}

TEST(PrintCase, LeavesDefaultsOut) {
  Case c{.stack = *parse_stack("fsdp=4")};
  EXPECT_EQ(print(c), "fsdp=4");
  c.settings.accumulation = 4;
  EXPECT_EQ(print(c), "fsdp=4 accumulation=4");
  c = {.stack = *parse_stack("ac"), .engine = "pytorch"};
  c.settings.arithmetic = Arithmetic::plain;
  c.settings.seed = 2;
  EXPECT_EQ(print(c), "ac engine=pytorch arithmetic=plain seed=2");
  c.apply = "mine.parallel:shard";
  EXPECT_EQ(print(c), "ac engine=pytorch apply=mine.parallel:shard arithmetic=plain seed=2 steps=3");
  c.settings.steps = 5;
  EXPECT_EQ(print(c), "ac engine=pytorch apply=mine.parallel:shard arithmetic=plain seed=2");
  EXPECT_EQ(print(Case{}), "(nothing)");
}

TEST(ParseCase, ReadsStackAndSettings) {
  const Result<Case> c = parse_case("  tp=2,fsdp=2  model=moe  grid=18 seed=18446744073709551615 steps=1 ");
  ASSERT_TRUE(c);
  EXPECT_EQ(print(c->stack), "tp=2,fsdp=2");
  EXPECT_EQ(c->model, "moe");
  EXPECT_EQ(c->engine, "native");
  EXPECT_EQ(c->settings, (Settings{.grid = 18, .seed = 18446744073709551615u, .steps = 1}));
}

TEST(ParseCase, ReadsTheUsersOwnModelAndFunction) {
  const Result<Case> c = parse_case("fsdp=2 apply=Mine_2.parallel:shard_all engine=pytorch model=mine.net:Net");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->model, "mine.net:Net");
  EXPECT_EQ(c->apply, "Mine_2.parallel:shard_all");
  EXPECT_EQ(c->settings.steps, 5) << "what a function keeps between steps is not known";
  EXPECT_EQ(parse_case("fsdp=2 apply=mine:shard steps=3")->settings.steps, 3);
  EXPECT_EQ(print(*c), "fsdp=2 model=mine.net:Net engine=pytorch apply=Mine_2.parallel:shard_all");
  const Result<Case> own = parse_case("ac batch=mine:pairs loss=mine:loss widen=transformers+mine.net engine=pytorch");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->batch, "mine:pairs");
  EXPECT_EQ(own->loss, "mine:loss");
  EXPECT_EQ(own->widen, "transformers+mine.net");
  EXPECT_EQ(print(*own), "ac engine=pytorch batch=mine:pairs loss=mine:loss widen=transformers+mine.net");
}

// "optimizer" is a transform too.
TEST(ParseCase, ReadsAnOptimizerOfTheUserAfterTheStack) {
  const Result<Case> c = parse_case("fsdp=2,optimizer=adamw optimizer=mine:make step=mine:step");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->optimizer, "mine:make");
  EXPECT_EQ(c->step, "mine:step");
  EXPECT_EQ(print(*c), "fsdp=2,optimizer=adamw optimizer=mine:make step=mine:step");
  EXPECT_EQ(parse_case("(nothing) optimizer=mine:make")->optimizer, "mine:make");
  EXPECT_EQ(first_line_of_error("fsdp=2 optimizer=adamw"), "no comma before 'optimizer' at column 8");
}

TEST(ParseCase, TakesEveryNotationOfTheStack) {
  EXPECT_EQ(print(*parse_case("PP=2 -> TP=2 seed=2")), "pp=2,tp=2 seed=2");
  EXPECT_EQ(print(*parse_case("FSDP=2 ( AC(model) ) seed=2")), "ac,fsdp=2 seed=2");
  EXPECT_EQ(print(*parse_case("tp=2, fsdp=2 seed=2")), "tp=2,fsdp=2 seed=2");
  EXPECT_EQ(print(*parse_case("model seed=2")), "(nothing) seed=2");
  EXPECT_EQ(print(*parse_case("(nothing) seed=2")), "(nothing) seed=2");
}

TEST(ParseCase, NamesMistakes) {
  EXPECT_EQ(first_line_of_error("ac sed=2"), "unknown setting 'sed' at column 4; did you mean 'seed'?");
  EXPECT_EQ(first_line_of_error("ac colour=2"),
            "unknown setting 'colour' at column 4; known: model, engine, apply, batch, loss, optimizer, step, "
            "reference_apply, reference_ranks, widen, arithmetic, grid, seed, steps, accumulation");
  EXPECT_EQ(first_line_of_error("ac seed=2 fast"),
            "unknown setting 'fast' at column 11; known: model, engine, apply, batch, loss, optimizer, step, "
            "reference_apply, reference_ranks, widen, arithmetic, grid, seed, steps, accumulation");
  EXPECT_EQ(first_line_of_error("ac seed=2 seed=3"), "setting 'seed' is given twice at column 11");
  EXPECT_EQ(first_line_of_error("ac seed=-1"), "setting 'seed' takes an integer of 0 to 2^64-1, got '-1' at column 8");
  EXPECT_EQ(first_line_of_error("ac grid=27"), "setting 'grid' takes an integer of 1 to 26, got '27' at column 8");
  EXPECT_EQ(first_line_of_error("ac steps=0"), "setting 'steps' takes an integer of 1 to 1000, got '0' at column 9");
  EXPECT_EQ(first_line_of_error("ac accumulation=17"),
            "setting 'accumulation' takes an integer of 1 to 16, got '17' at column 16");
  EXPECT_EQ(first_line_of_error("ac arithmetic=float"),
            "setting 'arithmetic' takes one of exact, plain, float32, got 'float' at column 14");
  for (const char* model : {"", "Llama", "mine:", ":Net", "a:b:c", "mine/net:Net"})
    EXPECT_EQ(
        first_line_of_error(fmt::format("ac model={}", model)),
        fmt::format("setting 'model' takes a name of [a-z0-9_.-] or package.module:factory, got '{}' at column 9", model));
  EXPECT_EQ(first_line_of_error("ac engine=a:b"), "setting 'engine' takes a name of [a-z0-9_.-], got 'a:b' at column 10");
  for (const char* apply : {"", "shard", "mine:", ":shard", "a:b:c", "mine.net:sh(ard"})
    EXPECT_EQ(first_line_of_error(fmt::format("ac apply={}", apply)),
              fmt::format("setting 'apply' takes package.module:function, got '{}' at column 9", apply));
  EXPECT_EQ(first_line_of_error("ax seed=2"), "unknown transform 'ax' at column 1; did you mean 'ac'?");
}

RC_GTEST_PROP(PrintCase, ParsesBackToTheSameCase, ()) {
  Case c{.stack = *arbitrary_stack()};
  c.model = *rc::gen::element<std::string>("llama", "llama_tied", "moe", "mine.net:Net");
  c.apply = *rc::gen::element<std::string>("", "mine.parallel:shard", "A-1._b:C");
  c.batch = *rc::gen::element<std::string>("", "mine.data:pairs");
  c.loss = *rc::gen::element<std::string>("", "mine.data:loss");
  c.optimizer = *rc::gen::element<std::string>("", "mine.optim:make");
  c.step = *rc::gen::element<std::string>("", "mine.loop:step");
  c.reference_apply = *rc::gen::element<std::string>("", "mine.parallel:shard");
  c.reference_ranks = *rc::gen::inRange(1, 9);
  c.widen = *rc::gen::element<std::string>("", "transformers", "one+two.three");
  c.engine = *rc::gen::element<std::string>("native", "pytorch", "pytorch-2.11.0");
  c.settings = {.arithmetic = *rc::gen::element(Arithmetic::exact, Arithmetic::plain, Arithmetic::float32),
                .grid = *rc::gen::inRange(1, 27),
                .seed = *rc::gen::arbitrary<std::uint64_t>(),
                .steps = *rc::gen::inRange(1, 1001),
                .accumulation = *rc::gen::inRange(1, 17)};
  const Result<Case> back = parse_case(print(c));
  RC_ASSERT(bool(back));
  RC_ASSERT(*back == c);
  RC_ASSERT(print(*back) == print(c));
}

RC_GTEST_PROP(ParseCase, AnythingMadeOfItsOwnLettersIsACaseOrAnError, ()) {
  const auto piece = rc::gen::element<std::string>("tp=2", "ac", ",", "->", "(", ")", " ", "\t", "seed", "=", "1", "grid=18",
                                                   "model", "apply", ":", "(nothing)", "\xff", "-");
  const std::string text = join(*rc::gen::container<std::vector<std::string>>(piece), "");
  const Result<Case> c = parse_case(text);
  if (!c) RC_SUCCEED("an error");
  const Result<Case> again = parse_case(print(*c));
  RC_ASSERT(bool(again));
  RC_ASSERT(*again == *c);
}

TEST(UsualCase, IsOfNativeArithmeticWhereTheStackCasts) {
  EXPECT_EQ(print(usual_case(*parse_stack("tp=2,fsdp=2"), "llama", "native")), "tp=2,fsdp=2");
  EXPECT_EQ(print(usual_case(*parse_stack("tp=2,amp=bf16"), "llama", "pytorch")),
            "tp=2,amp=bf16 engine=pytorch arithmetic=float32");
  EXPECT_EQ(print(usual_case(*parse_stack("ac,fsdp=2:mp=bf16"), "llama", "pytorch")),
            "ac,fsdp=2:mp=bf16 engine=pytorch arithmetic=float32");
}

// Each microbatch would be a step.
TEST(UsualCase, HasOneMicrobatchWhereTheOptimizerStepsInBackward) {
  const std::string text = "fsdp=2,optimizer=adamw:in_backward=on";
  const Result<Case> c = parse_case(text);
  ASSERT_TRUE(c);
  EXPECT_EQ(c->settings.accumulation, 1);
  EXPECT_EQ(*c, usual_case(c->stack, "llama", "native"));
  EXPECT_EQ(print(*c), text);
  EXPECT_EQ(print(*parse_case(text + " accumulation=2")), text + " accumulation=2");
  EXPECT_EQ(print(reference_of(*c)), "optimizer=adamw accumulation=1");
}

TEST(ReferenceOf, KeepsTheNumericTransformsOnly) {
  const Result<Case> c =
      parse_case("tp=2,amp=bf16,ac,fsdp=2,optimizer=adamw:clip=1 model=moe engine=pytorch apply=a.b:c seed=5");
  ASSERT_TRUE(c);
  EXPECT_EQ(print(reference_of(*c)),
            "amp=bf16,optimizer=adamw:clip=1 model=moe engine=pytorch reference_apply=a.b:c seed=5 steps=5");
  EXPECT_EQ(reference_of(reference_of(*c)), reference_of(*c));
  EXPECT_EQ(print(reference_of(Case{})), "(nothing)");
  const Result<Case> step = parse_case("tp=2,hsdp=2x2 apply=a.b:c step=a.b:d");
  ASSERT_TRUE(step);
  EXPECT_EQ(print(reference_of(*step)), "(nothing) step=a.b:d reference_apply=a.b:c reference_ranks=4 steps=5");
  EXPECT_EQ(reference_of(reference_of(*step)), reference_of(*step));
}

TEST(ReferenceOf, KeepsWhatALayoutCastsAtDegreeOne) {
  const Result<Case> c = parse_case("tp=2,hsdp=2x4:reshard=never:mp=bf16 engine=pytorch");
  ASSERT_TRUE(c);
  EXPECT_EQ(print(reference_of(*c)), "hsdp=1x1:mp=bf16 engine=pytorch");
  const Result<Case> own = parse_case("tp=2:plan=blocks,ac,fsdp=2:mp=bf16 engine=pytorch apply=a.b:c arithmetic=float32");
  ASSERT_TRUE(own);
  EXPECT_EQ(print(reference_of(*own)), "tp=1,fsdp=1:mp=bf16 engine=pytorch reference_apply=a.b:c arithmetic=float32 steps=5");
  EXPECT_EQ(print(float64_of(*own)), "(nothing) engine=pytorch reference_apply=a.b:c arithmetic=plain steps=5");
}

TEST(WithoutItem, DropsOne) {
  const Result<Case> c = parse_case("tp=2,ac,fsdp=2 apply=a.b:c seed=5");
  ASSERT_TRUE(c);
  EXPECT_EQ(print(without_item(*c, 0)), "ac,fsdp=2 apply=a.b:c seed=5");
  EXPECT_EQ(print(without_item(*c, 1)), "tp=2,fsdp=2 apply=a.b:c seed=5");
}

}  // namespace
}  // namespace ordercheck
