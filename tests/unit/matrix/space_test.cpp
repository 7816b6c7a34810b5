#include "matrix/space.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "engines/fake_engine.h"
#include "record/evidence_table.h"
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

TEST(Space, TiersAndLegalSetsMayBeLeftOut) {
  const auto none = parse_space(kSpaceText, "space.toml");
  EXPECT_TRUE(none->smoke.empty() && none->by_default.empty() && none->versions.empty() && none->legal_sets.empty());
  EXPECT_EQ(none->backend_witnesses, 0);
  EXPECT_TRUE(none->covering.empty());
  const auto space =
      parse_space(kSpaceText + "default = [\"ac,fsdp=2\"]\nlegal_sets = [\"pp,tp,ac\"]\nbackend_witnesses = 3\n", "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(print(space->by_default.at(0)), "ac,fsdp=2");
  EXPECT_EQ(print(space->legal_sets.at(0)), "pp,tp,ac");
  EXPECT_EQ(space->backend_witnesses, 3);
  EXPECT_THAT(parse_space(kSpaceText + "default = [\"acc\"]\n", "space.toml").error().message, HasSubstr("space.toml:11: "));
  EXPECT_EQ(parse_space(kSpaceText + "smoke = [\"ep=2 model=moe\"]\n", "space.toml")->smoke.at(0).model, "moe");
  EXPECT_THAT(parse_space(kSpaceText + "smoke = [\"tp=2 seed=4\"]\n", "space.toml").error().message,
              HasSubstr("'tp=2 seed=4' names more than a stack and a model"));
}

TEST(Space, CoveringRowsAreStacksWithTheirMicrobatches) {
  const auto space = parse_space(kSpaceText + "covering = [\"tp=2,ac accumulation=4\"]\n", "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_EQ(space->covering.at(0).settings.accumulation, 4);
  EXPECT_THAT(parse_space(kSpaceText + "covering = [\"tp=2 seed=4\"]\n", "space.toml").error().message,
              HasSubstr("'tp=2 seed=4' names more than a stack and its microbatches"));
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

const std::string kBeside =
    "[[traffic]]\ntitle = \"modes\"\nmodel = \"llama\"\nstacks = [\"fsdp=4\", \"ddp=4\"]\n"
    "beside = {engine = \"other\", title = \"theirs\", models = \"They have two blocks.\"}\n";

TEST(Space, ATableMayStandBesideThatOfAnotherEngine) {
  const auto space = parse_space(
      kSpaceText + kBeside + "[[traffic.differs]]\nstacks = [\"ddp=4\"]\nwhy = \"It asks first.\"\npage = \"EFF-006\"\n",
      "space.toml");
  ASSERT_TRUE(space) << space.error().message;
  const TrafficTable& table = space->traffic.at(0);
  EXPECT_EQ(table.beside, (Beside{.engine = "other", .title = "theirs", .models = "They have two blocks."}));
  EXPECT_THAT(table.differs, testing::ElementsAre(TrafficDifference{
                                 .stacks = {*parse_stack("ddp=4")}, .why = "It asks first.", .page = "EFF-006"}));
  EXPECT_EQ(table.file, "space.toml");
}

TEST(Space, RefusesAReasonForAStackThatItsTableDoesNotHave) {
  const auto message_of = [](const std::string& text) {
    const auto space = parse_space(kSpaceText + text, "space.toml");
    return space ? "" : space.error().message;
  };
  const auto why = [](const std::string& stacks) { return "[[traffic.differs]]\nstacks = [" + stacks + "]\nwhy = \"why\"\n"; };
  EXPECT_EQ(message_of(kBeside + why("\"ddp=4\"")), "");
  EXPECT_THAT(message_of(kBeside + why("\"ddp=2\"")), HasSubstr("space.toml:17: 'ddp=2' is not in the 'stacks' of the table"));
  EXPECT_THAT(message_of(kBeside + why("\"ddp=4\"") + why("\"ddp=4\"")), HasSubstr("why 'ddp=4' differs is said twice"));
  EXPECT_THAT(message_of(kBeside + why("")), HasSubstr("expected the stacks that this is why of"));
  const std::string alone = kBeside.substr(0, kBeside.find("beside"));
  EXPECT_EQ(message_of(alone), "");
  EXPECT_THAT(message_of(alone + why("\"ddp=4\"")), HasSubstr("there is no other table to compare its stacks with"));
  EXPECT_THAT(message_of(alone + "beside = {engine = \"other\", title = \"theirs\"}\n"), HasSubstr("'models'"));
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
      return kUsualModel.dim % degree_of(mesh_of(stack), "dp_shard") != 0;
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
              AllOf(HasSubstr("space.toml: 'engines' does not list 'pytorch'"), HasSubstr("space-pytorch.toml")));
  std::string own = kSpaceText;
  own.replace(own.find("\"native\""), 8, "\"pytorch\"");
  own.replace(own.find("[\"tp\", \"fsdp\"]"), 14, "[\"ac\"]");
  ASSERT_TRUE(replace_file(folder.path() / "space-pytorch.toml", own));
  EXPECT_EQ(load_space_of("pytorch", folder.path())->transforms, std::vector<std::string>{"ac"});
}

TEST(Space, ErrorsNameTheLine) {
  EXPECT_THAT(error_of_space("[\"tp\", \"fsdp\"]", "[\"tp\", \"fsdb\"]"), HasSubstr("space.toml:3: unknown transform 'fsdb'"));
  EXPECT_THAT(error_of_space("fsdp", "tp"), HasSubstr("space.toml:3: duplicate 'tp'"));
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

std::set<std::string> transforms_in(const std::string& case_text) {
  std::set<std::string> names;
  const auto c = parse_case(case_text);
  EXPECT_TRUE(c) << case_text;
  if (c)
    for (const Item& item : c->stack.items) names.insert(item.name);
  return names;
}

// A job of minutes stands for one of hours only where each kind of answer is among its cases: every transform that the engine was
// ever run with, and every verdict that it was seen to end in.
TEST(Space, TheDefaultTierShowsEveryTransformAndEveryVerdict) {
  for (const char* engine : {"native", "pytorch", "torchtitan"}) {
    const auto space = load_space_of(engine, ORDERCHECK_SOURCE_DIR "/matrix");
    ASSERT_TRUE(space) << space.error().message;
    const auto tables = read_evidence(ORDERCHECK_SOURCE_DIR "/matrix/evidence");
    ASSERT_TRUE(tables) << tables.error().message;
    // Native takes seconds: its default is everything, and its smoke is held to the same.
    const std::vector<Case>& tier = space->by_default.empty() ? space->smoke : space->by_default;
    std::set<std::string> listed;
    for (const Case& c : tier) listed.insert(print(usual_case(c.stack, c.model, engine)));
    std::set<std::string> shown, known;
    std::set<Verdict> ended_in, may_end_in;
    for (const EvidenceTable& table : *tables) {
      if (table.engine != engine) continue;
      for (const Observation& row : table.rows) {
        const auto names = transforms_in(row.case_text);
        known.insert(names.begin(), names.end());
        // What is not decided would leave the whole job undecided.
        if (row.verdict != Verdict::unstable && row.verdict != Verdict::unrun) may_end_in.insert(row.verdict);
        if (!listed.contains(row.case_text)) continue;
        shown.insert(names.begin(), names.end());
        ended_in.insert(row.verdict);
      }
    }
    EXPECT_GT(known.size(), 5u) << engine;
    EXPECT_EQ(shown, known) << engine;
    EXPECT_EQ(ended_in, may_end_in) << engine;
    for (const Case& c : space->smoke) EXPECT_THAT(tier, testing::Contains(c)) << engine << " " << print(c);
    EXPECT_FALSE(space->smoke.empty()) << engine;
    EXPECT_LE(space->smoke.size(), 18u) << engine << ": a smoke is under a minute";
  }
}

}  // namespace
}  // namespace ordercheck
