#include "matrix/framework.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

const std::string kFrameworkText = R"(title = "someone"
project = "someone"
order = "tp,cp,ac,fsdp"
source = "someone 1.0, train.py"
date = "2026-02-20"
says = "one sentence"
)";

std::string error_of_framework(const std::string& from, const std::string& to) {
  std::string text = kFrameworkText;
  text.replace(text.find(from), from.size(), to);
  const auto framework = parse_framework(text, "frameworks/someone.toml");
  return framework ? "no error" : framework.error().message;
}

TEST(Framework, IsNamedByItsFile) {
  const auto framework = parse_framework(kFrameworkText, "frameworks/someone.toml");
  ASSERT_TRUE(framework) << framework.error().message;
  EXPECT_EQ(framework->name, "someone");
  EXPECT_EQ(print(framework->order), "tp,cp,ac,fsdp");
  EXPECT_EQ(framework->url, "");
}

TEST(Framework, AllInTheRepositoryAreRead) {
  const auto frameworks = load_frameworks(ORDERCHECK_SOURCE_DIR "/matrix/frameworks");
  ASSERT_TRUE(frameworks) << frameworks.error().message;
  EXPECT_GE(frameworks->size(), 6u);
}

TEST(Framework, ErrorsNameTheLine) {
  EXPECT_THAT(error_of_framework("tp,cp", "tp,cq"), HasSubstr("frameworks/someone.toml:3: unknown transform 'cq'"));
  EXPECT_THAT(error_of_framework("2026-02-20", "20.2.2026"), HasSubstr("frameworks/someone.toml:5: date '20.2.2026'"));
  EXPECT_THAT(error_of_framework("source", "sauce"), HasSubstr("unknown key 'sauce'; known: title, "));
  EXPECT_THAT(error_of_framework("date = \"2026-02-20\"", "url = \"ftp://x\""), HasSubstr("does not start with https://"));
}

TEST(Framework, NamesTheCasesOfItsOwnFunctions) {
  const std::string runs = "runs = [\"ep=2,fsdp=2 model=moe engine=torchtitan\"]\n";
  const auto framework = parse_framework(kFrameworkText + runs, "frameworks/someone.toml");
  ASSERT_TRUE(framework) << framework.error().message;
  ASSERT_EQ(framework->runs.size(), 1u);
  EXPECT_EQ(framework->runs[0].model, "moe");
  EXPECT_THAT(parse_framework(kFrameworkText + "runs = [\"epp=2\"]\n", "someone.toml").error().message,
              HasSubstr("someone.toml:7: "));
}

TEST(Framework, RecordedOrdersArePartsOfTheOrder) {
  const std::string recorded =
      "[recorded]\njob = \"someone/train.py\"\nranks = 4\nwith = \"torch 2.15.0\"\nrelease = \"1.0\"\ndate = \"2026-11-29\"\n"
      "places = \"tp someone/a.py:1\"\norder = ";
  const auto framework = parse_framework(kFrameworkText + recorded + "\"tp,fsdp\"\n", "someone.toml");
  ASSERT_TRUE(framework) << framework.error().message;
  EXPECT_EQ(print(framework->recorded->order), "tp,fsdp");
  EXPECT_EQ(framework->recorded->ranks, 4);
  EXPECT_THAT(parse_framework(kFrameworkText + recorded + "\"fsdp,tp\"\n", "someone.toml").error().message,
              HasSubstr("'fsdp,tp' contradicts the project's order 'tp,cp,ac,fsdp'"));
}

TEST(Framework, ProjectionKeepsTheOrder) {
  std::vector<std::string> left_out;
  EXPECT_EQ(print(project(*parse_stack("pp,tp=2,cp,ac,fsdp"), {"fsdp", "tp", "ac"}, left_out)), "tp=2,ac,fsdp");
  EXPECT_EQ(left_out, (std::vector<std::string>{"pp", "cp"}));
}

}  // namespace
}  // namespace ordercheck
