#include "plan/changed.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "stack/notation.h"
#include "stack/transforms.h"
#include "unit/rule/sample_rules.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PlannedCase planned(const char* text, std::vector<Source> sources = {{SourceKind::order, ""}}) {
  return {*parse_case(text), std::move(sources)};
}

Plan sample_plan() {
  return {.engine = "native",
          .cases = {planned("ac"), planned("fsdp=2,tp=2", {{SourceKind::witness, "ORD-901 bad"}}), planned("hsdp=2x2"),
                    planned("tp=2", {{SourceKind::framework, "someone (projected)"}}),
                    planned("tp=2,fsdp=2", {{SourceKind::witness, "ORD-901 good"}})},
          .not_planned = {{*parse_case("cp=2"), {}, "no cp"}}};
}

std::vector<Rule> pages() {
  Rule rule = sample_order_rule();
  rule.slug = "fsdp-before-tp";
  return {rule};
}

const std::string kDriver = "src/drivers/pytorch";
const std::string kTransforms = kDriver + "/ordercheck_pytorch/program/transforms/";
const EngineSources kNative{.folders = {"src/ranks"}, .transforms = "src/ranks/transform", .own_space = false};
const EngineSources kPython{.folders = {kDriver}, .transforms = kTransforms.substr(0, kTransforms.size() - 1)};

EngineSources project(const std::string& name) { return {.folders = {"src/drivers/" + name, kDriver}}; }

const ChangeTable& table() {
  static const auto read = load_changes(ORDERCHECK_SOURCE_DIR "/matrix/changed.toml");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return *read;
}

std::vector<std::string> affected(const std::string& change, const EngineSources& sources = kNative) {
  const auto plan = affected_by({change}, sample_plan(), pages(), table(), sources);
  if (!plan) return {plan.error().message};
  std::vector<std::string> texts;
  for (const PlannedCase& one : plan->cases) texts.push_back(print(one.subject));
  return texts;
}

const std::vector<std::string> kAll{"ac", "fsdp=2,tp=2", "hsdp=2x2", "tp=2", "tp=2,fsdp=2"};

TEST(Changed, ARuleMeansItsWitnessesAndWhatHoldsItsTransforms) {
  EXPECT_THAT(affected("ORD-901"), ElementsAre("fsdp=2,tp=2", "tp=2,fsdp=2"));
  EXPECT_EQ(affected("rules/order/fsdp-before-tp.md"), affected("ORD-901"));
}

TEST(Changed, AFileOfAFrameworkOrAProjectMeansItsCases) {
  EXPECT_THAT(affected("matrix/frameworks/someone.toml"), ElementsAre("tp=2"));
  EXPECT_THAT(affected("matrix/frameworks/some.toml"), IsEmpty()) << "another project";
  for (const char* path : {"src/drivers/mine/ordercheck_mine.py", "src/drivers/mine/ordercheck_mine/models.py"}) {
    EXPECT_EQ(affected(path, project("mine")), kAll);
    EXPECT_THAT(affected(path, kPython), IsEmpty()) << "another engine's";
    EXPECT_THAT(affected(path, project("other")), IsEmpty());
  }
}

TEST(Changed, ATransformMeansTheCasesThatHaveItOnItsEngine) {
  EXPECT_THAT(affected("src/ranks/transform/tp.cpp"), ElementsAre("fsdp=2,tp=2", "tp=2", "tp=2,fsdp=2"));
  EXPECT_THAT(affected("src/ranks/transform/fsdp.h"), ElementsAre("fsdp=2,tp=2", "hsdp=2x2", "tp=2,fsdp=2"));
  EXPECT_EQ(affected("src/ranks/transform/catalog.cpp"), kAll) << "no transform's own";
  EXPECT_EQ(affected("src/ranks/transform/optimizer.cpp"), kAll) << "every case has an optimizer";
  EXPECT_THAT(affected("src/ranks/transform/tp.cpp", kPython), IsEmpty());
  EXPECT_THAT(affected(kTransforms + "ac.py", kPython), ElementsAre("ac"));
  EXPECT_EQ(affected(kTransforms + "ac.py", project("mine")), kAll) << "a project may call it";
  EXPECT_EQ(affected(kTransforms + "program.py", kPython), kAll);
  EXPECT_THAT(affected(kTransforms + "ac.py"), IsEmpty());
}

TEST(Changed, WhatAnEngineIsMadeFromMeansAllOfItsCases) {
  for (const char* path : {"src/ranks/train/run_case.cpp", "src/parity/compare.cpp", "src/cli/matrix/run.cpp",
                           "matrix/space.toml", "matrix/engines/native.toml", "matrix/evidence/native/libtorch-2.11.0-cpu.tsv",
                           "CMakeLists.txt", "scripts/lib/setup.sh"})
    EXPECT_EQ(affected(path), kAll) << path;
  EXPECT_EQ(affected("src/drivers/pytorch/ordercheck_pytorch/program/rank.py", kPython), kAll);
  for (const char* path : {"src/drivers/pytorch/ordercheck_pytorch/program/rank.py", "matrix/space-pytorch.toml",
                           "matrix/engines/pytorch.toml", "matrix/evidence/pytorch/torch-2.11.0-cpu.tsv"})
    EXPECT_THAT(affected(path), IsEmpty()) << path;
}

TEST(Changed, OfAnEngineThatNothingIsKnownOfEverySourceMayBeAPart) {
  EXPECT_EQ(affected("src/ranks/transform/tp.cpp", {}), kAll);
  EXPECT_EQ(affected(kTransforms + "ac.py", {}), kAll);
}

TEST(Changed, ATableIsRefusedWithItsLine) {
  const auto wrong = parse_changes("[[change]]\npaths = [\"a\"]\naffects = \"much\"\n", "changed.toml");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("changed.toml:3: "));
  const auto unknown = parse_changes(
      "[[change]]\npaths = [\"a\"]\naffects = \"nothing\"\n[[source]]\nname = \"x\"\ntransforms = [\"tq\"]\n", "changed.toml");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("unknown transform 'tq'"));
}

TEST(Changed, ProseAndTestsMeanNothing) {
  for (const char* path : {"docs/parallelism_ordering.md", "README.md", "tests/cli/run.test", "glossary/words.toml",
                           "report_templates/html/page.html", "src/report/pages/markdown.cpp", ".ci/run", "rules/TEMPLATE.md"})
    EXPECT_THAT(affected(path), IsEmpty()) << path;
}

TEST(Changed, SeveralChangesAddUp) {
  const auto plan =
      affected_by({"README.md", "matrix/frameworks/someone.toml", "ORD-901"}, sample_plan(), pages(), table(), kNative);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cases.size(), 3u);
  EXPECT_TRUE(plan->not_planned.empty());
}

TEST(Changed, WhatIsNeitherIsToldInOneLine) {
  EXPECT_THAT(affected("ORD-902").at(0),
              AllOf(HasSubstr("--changed ORD-902: expected a rule's id or a path"), HasSubstr("ORD-901")));
  EXPECT_THAT(affected("elsewhere/tp.cpp").at(0), HasSubstr("--changed elsewhere/tp.cpp: expected a rule's id or a path"));
  EXPECT_THAT(affected("elsewhere/README.md").at(0), HasSubstr("expected a rule's id or a path"));
  EXPECT_THAT(affected("rules/order/gone.md").at(0), HasSubstr("no page of the rules that were read"));
}

// A new folder needs a row in the table, else whoever gives it all that a commit touched is stopped.
TEST(Changed, EveryFileOfTheRepositoryIsKnown) {
  namespace fs = std::filesystem;
  const fs::path root = ORDERCHECK_SOURCE_DIR;
  std::size_t files = 0;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string path = fs::relative(entry->path(), root).generic_string();
    if (entry->is_directory() && (path == "build" || path == ".git" || path.find("__pycache__") != std::string::npos))
      entry.disable_recursion_pending();
    // Pages are those of the rules that are given; the sample's are not these. What git leaves out is nobody's change.
    if (!entry->is_regular_file() || path.starts_with("rules/") || path == ".git" || path == "FROM-MAIN.txt") continue;
    ++files;
    EXPECT_TRUE(affected_by({path}, sample_plan(), pages(), table(), kNative)) << path;
  }
  EXPECT_GT(files, 500u);
}

// A transform's source that another source than the catalogue reads can affect cases without the transform.
TEST(Changed, ATransformsSourceIsReadByItsCatalogueAlone) {
  namespace fs = std::filesystem;
  for (const char* folder : {"/src/ranks", "/src/drivers"}) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(ORDERCHECK_SOURCE_DIR) + folder)) {
      const std::string stem = entry.path().stem().string();
      const std::string ending = entry.path().extension().string();
      if (entry.path().string().find("/repro/") != std::string::npos) continue;  // it writes scripts, and runs no case
      if ((ending != ".py" && ending != ".h" && ending != ".cpp") || stem == "catalogue" || stem == "catalog") continue;
      for (const std::string& line : split(*read_file(entry.path()), '\n')) {
        for (const auto& name : names_in(transforms())) {
          const bool reads =
              line.find("\"ranks/transform/" + name + ".h\"") != std::string::npos ||
              line.find("transforms." + name + " import") != std::string::npos ||
              (entry.path().parent_path().filename() == "transforms" && line.starts_with("from ." + name + " import"));
          const auto& several = table().transforms_of_source;
          const bool affects_all = several.contains(name) && several.at(name).empty();
          if (!reads || stem == name || affects_all) continue;
          ADD_FAILURE() << entry.path() << " reads " << name << ": " << line
                        << "\n  either it does not, or a [[source]] in matrix/changed.toml says that every case may use it";
        }
      }
    }
  }
}

}  // namespace
}  // namespace ordercheck
