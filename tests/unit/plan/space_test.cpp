#include "plan/space.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "engines/fake_engine.h"
#include "stack/mesh.h"
#include "stack/model_sizes.h"
#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kSpaceText = R"(engines = ["native"]
models = ["llama"]
transforms = ["tp", "fsdp"]
ranks = [1, 2]
order_ranks = [2]
sets = ["ac,compile:wrap"]
set_ranks = [1]
accumulations = [1, 2]
optimizers = ["optimizer=adamw:clip=1.0"]
optimizer_ranks = [2]
)";

std::string error_of_space(const std::string& from, const std::string& to) {
  std::string text = kSpaceText;
  text.replace(text.find(from), from.size(), to);
  const auto space = parse_space(text, "space.toml");
  return space ? "no error" : space.error().message;
}

TEST(Space, ReadsEveryKey) {
  const auto space = parse_space(kSpaceText, "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->transforms, (std::vector<std::string>{"tp", "fsdp"}));
  EXPECT_EQ(space->ranks, (std::vector<int>{1, 2}));
  ASSERT_EQ(space->optimizers.size(), 1u);
  EXPECT_EQ(space->optimizers[0].mode, "adamw");
  ASSERT_EQ(space->sets.size(), 1u);
  EXPECT_EQ(print(space->sets[0]), "ac,compile:wrap");
}

TEST(Space, TheOneInTheRepositoryIsRead) {
  const auto space = load_space(ORDERCHECK_SOURCE_DIR "/matrix/space.toml");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_FALSE(space->transforms.empty());
}

TEST(Space, SlowStacksAndWitnessesMayBeLeftOut) {
  EXPECT_FALSE(has_slow_tier(*parse_space(kSpaceText, "space.toml")));
  const auto space = parse_space(kSpaceText + "slow_stacks = [\"ac,fsdp=2\"]\nslow_witnesses = 3\n", "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(print(space->slow_stacks.at(0)), "ac,fsdp=2");
  EXPECT_EQ(space->slow_witnesses, 3);
  EXPECT_TRUE(has_slow_tier(*space));
  EXPECT_THAT(parse_space(kSpaceText + "slow_stacks = [\"acc\"]\n", "space.toml").error().message,
              HasSubstr("space.toml:11: "));
}

TEST(Space, AnotherModelHasStacksOfItsOwn) {
  const auto space = parse_space(kSpaceText + "[[model]]\nname = \"mixtral\"\nstacks = [\"ep=2,fsdp=2\"]\n", "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  ASSERT_EQ(space->own_stacks.size(), 1u);
  EXPECT_EQ(space->own_stacks[0].model, "mixtral");
  EXPECT_EQ(print(space->own_stacks[0].stacks.at(0)), "ep=2,fsdp=2");
  EXPECT_THAT(parse_space(kSpaceText + "[[model]]\nname = \"mixtral\"\nstacks = [\"epp=2\"]\n", "space.toml").error().message,
              HasSubstr("space.toml:13: "));
}

TEST(Space, StacksMayBeLaidSideBySide) {
  const std::string table = "[[traffic]]\ntitle = \"modes\"\nmodel = \"llama\"\nsteps = 10\nstacks = [\"fsdp=4\"]\n";
  const auto space = parse_space(kSpaceText + table, "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  ASSERT_EQ(space->traffic.size(), 1u);
  EXPECT_EQ(space->traffic[0].title, "modes");
  EXPECT_EQ(space->traffic[0].steps, 10);
  EXPECT_EQ(print(space->traffic[0].stacks.at(0)), "fsdp=4");
  EXPECT_THAT(parse_space(kSpaceText + "[[traffic]]\ntitle = \"modes\"\nstacks = []\n", "space.toml").error().message,
              HasSubstr("'model'"));
}

TEST(Space, SlowSetsMayBeLeftOut) {
  EXPECT_TRUE(parse_space(kSpaceText, "space.toml")->slow_sets.empty());
  const auto space = parse_space(kSpaceText + "slow_sets = [\"ac,fsdp\"]\n", "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  ASSERT_EQ(space->slow_sets.size(), 1u);
  EXPECT_EQ(print(space->slow_sets[0]), "ac,fsdp");
  const auto wrong = parse_space(kSpaceText + "slow_sets = [\"ac,fsdp=2\"]\n", "space.toml");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("space.toml:11: 'ac,fsdp=2' names a degree"));
}

TEST(Space, StacksNameTheirDegreesAndMayBeLeftOut) {
  EXPECT_TRUE(parse_space(kSpaceText, "space.toml")->stacks.empty());
  const auto space = parse_space(kSpaceText + "stacks = [\"ac,fsdp=5\"]\n", "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  ASSERT_EQ(space->stacks.size(), 1u);
  EXPECT_EQ(print(space->stacks[0]), "ac,fsdp=5");
  const auto wrong = parse_space(kSpaceText + "stacks = [\"fsdb=5\"]\n", "space.toml");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("space.toml:11: unknown transform 'fsdb'"));
}

// A shard is padded in transit only where the degree does not divide the rows: 2, 3 and 4 divide all of them.
TEST(Space, EveryEngineIsTriedWithShardsOfUnequalSize) {
  for (const char* name : {"space.toml", "space-pytorch.toml"}) {
    const auto space = load_space(std::string(ORDERCHECK_SOURCE_DIR "/matrix/") + name);
    ASSERT_TRUE(space) << space.error().message;
    EXPECT_TRUE(std::ranges::any_of(space->stacks, [](const Stack& stack) {
      return kLlama.dim % degree_of(mesh_of(stack), "dp_shard") != 0;
    })) << name;
  }
}

TEST(Space, AnEngineHasItsOwnOrSharesOneThatNamesIt) {
  const ScratchFolder folder;
  std::string shared = kSpaceText;
  shared.replace(shared.find("\"native\""), 8, "\"native\", \"fake\"");
  ASSERT_TRUE(replace_file(folder.path() / "space.toml", shared));
  EXPECT_EQ(load_space_of("fake", folder.path())->transforms, (std::vector<std::string>{"tp", "fsdp"}));
  const auto foreign = load_space_of("pytorch", folder.path());
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message,
              AllOf(HasSubstr("space.toml: expected 'pytorch' among its 'engines'"), HasSubstr("space-pytorch.toml")));
  std::string own = kSpaceText;
  own.replace(own.find("\"native\""), 8, "\"pytorch\"");
  own.replace(own.find("[\"tp\", \"fsdp\"]"), 14, "[\"ac\"]");
  ASSERT_TRUE(replace_file(folder.path() / "space-pytorch.toml", own));
  EXPECT_EQ(load_space_of("pytorch", folder.path())->transforms, std::vector<std::string>{"ac"});
}

TEST(Space, ErrorsNameTheLine) {
  EXPECT_THAT(error_of_space("[\"tp\", \"fsdp\"]", "[\"tp\", \"fsdb\"]"), HasSubstr("space.toml:3: unknown transform 'fsdb'"));
  EXPECT_THAT(error_of_space("fsdp", "tp"), HasSubstr("space.toml:3: 'tp' stands twice"));
  EXPECT_THAT(error_of_space("ranks = [1, 2]", "ranks = [0]"), HasSubstr("space.toml:4: an element of 'ranks'"));
  EXPECT_THAT(error_of_space("[1, 2]", "2"), HasSubstr("space.toml:4: 'ranks' is no list"));
  EXPECT_THAT(error_of_space("accumulations", "acumulations"),
              HasSubstr("unknown key 'acumulations'; did you mean 'accumulations'?"));
  EXPECT_THAT(error_of_space("models = [\"llama\"]", "models = [3]"),
              HasSubstr("space.toml:2: an element of 'models' is no string"));
  EXPECT_THAT(error_of_space("optimizer_ranks = [2]", "optimizer_ranks = [2]\ncolour = 1"),
              HasSubstr("space.toml:11: unknown key 'colour'"));
  EXPECT_THAT(error_of_space("optimizer=adamw:clip=1.0", "tp=2"), HasSubstr("space.toml:9: 'tp=2' is not one optimizer"));
  EXPECT_THAT(error_of_space("compile:wrap", "compil"), HasSubstr("space.toml:6: unknown transform 'compil'"));
  EXPECT_THAT(error_of_space("ac,compile:wrap", "ac,tp=2"), HasSubstr("space.toml:6: 'ac,tp=2' names a degree"));
  EXPECT_THAT(error_of_space("engines = [", "engines = ["), HasSubstr("no error"));
  EXPECT_THAT(error_of_space("ranks = [1, 2]", "ranks = [1, 2"), HasSubstr("space.toml:"));
}

}  // namespace
}  // namespace ordercheck
