#include "report/html/html_data.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/bits.h"
#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using Json = nlohmann::ordered_json;

const Json& case_of(const Json& build, const std::string& text) {
  const auto& cases = build.at("cases");
  const auto found = std::ranges::find_if(cases, [&](const Json& c) { return c.at("text") == text; });
  EXPECT_NE(found, cases.end()) << text;
  return *found;
}

TEST(HtmlData, HoldsEveryCaseOfEveryBuild) {
  const Sources sources = mini();
  const Json data = html_data(sources, nullptr);
  ASSERT_EQ(data.at("builds").size(), 1u);
  EXPECT_EQ(data["builds"][0].at("cases").size(), sources.evidence.at(0).rows.size());
  EXPECT_EQ(data.at("rules").size(), sources.rules.size());
}

TEST(HtmlData, SaysWhatACaseShowedAndWhichPagesFire) {
  const Json data = html_data(mini(), nullptr);
  const Json& failed = case_of(data["builds"][0], "fsdp=2,tp=2");
  EXPECT_EQ(failed.at("verdict"), "fails");
  EXPECT_FALSE(failed.at("fired").empty());
  const Json& graph = data["graphs"].at(failed.at("graph").get<std::size_t>());
  EXPECT_EQ(graph.at("items"), (Json{"fsdp=2", "tp=2"}));
  EXPECT_EQ(graph["edges"][0][0], 1) << "tp has to be applied first";
}

TEST(HtmlData, ItsPairsPointAtTheirRuns) {
  const Json data = html_data(mini(), nullptr);
  const Json& build = data["builds"][0];
  const auto names = build["pairs"]["names"].get<std::vector<std::string>>();
  const auto at = [&](const char* name) { return std::ranges::find(names, name) - names.begin(); };
  const Json& cell = build["pairs"]["rows"][at("fsdp")][at("tp")];
  EXPECT_EQ(cell[0], "✗");
  EXPECT_EQ(build["cases"].at(cell[1].get<std::size_t>()).at("text"), "fsdp=2,tp=2");
  EXPECT_EQ(build["pairs"]["rows"][at("tp")][at("tp")][1], -1) << "a transform beside itself";
}

TEST(HtmlData, TellsADifferenceInDecimalsAndNoHash) {
  Sources sources = mini();
  std::vector<Observation>& rows = sources.evidence.at(0).rows;
  ASSERT_EQ(rows.at(3).verdict, Verdict::differs);
  rows[3].difference = Difference{.what = "loss", .rank = 0, .expected = hex(bits_of(5.15664)), .got = hex(bits_of(5.13958))};
  const Json of_loss = html_data(sources, nullptr)["builds"][0]["cases"][3].at("difference");
  EXPECT_EQ(of_loss.at("expected"), "5.15664");
  EXPECT_EQ(of_loss.at("got"), "5.13958");
  EXPECT_EQ(of_loss.at("apart"), "0.0171");
  rows[3].difference = Difference{.what = "gradient", .expected = hex(hash_of("a")), .got = hex(hash_of("b"))};
  EXPECT_FALSE(html_data(sources, nullptr)["builds"][0]["cases"][3].at("difference").contains("got"));
}

// The mini evidence as if the pytorch engine had run it, at two versions.
Sources of_pytorch() {
  Sources sources = mini();
  EvidenceTable& table = sources.evidence.at(0);
  table.engine = "pytorch";
  for (Observation& row : table.rows) row.case_text += " engine=pytorch";
  EvidenceTable newer = table;
  table.versions = {"torch 2.11.0"};
  newer.versions = {"torch 2.12.0"};
  sources.evidence.push_back(newer);
  return sources;
}

TEST(HtmlData, HoldsAScriptOnceForTheCasesThatShowSomething) {
  Sources sources = of_pytorch();
  for (Observation& row : sources.evidence.at(1).rows)
    if (row.verdict == Verdict::equal) row.verdict = Verdict::hangs;
  const std::vector<Case> cases = cases_to_reproduce(sources, "pytorch");
  EXPECT_TRUE(cases_to_reproduce(sources, "native").empty());
  const auto text_of = [](const Case& one) { return print(one); };
  ASSERT_EQ(std::ranges::count(cases, "fsdp=2,tp=2 engine=pytorch", text_of), 1);
  ReproScripts scripts{.pieces = {"# common\n", "# own\n"}};
  for (const Case& one : cases) scripts.by_case[text_of(one)] = {.pieces = {1, 0}, .declined = ""};
  scripts.by_case["tp=2,fsdp=2 engine=pytorch"] = {.pieces = {}, .declined = "not built"};
  const Json data = html_data(sources, &scripts);
  const Json &older = data["builds"][0], &newer = data["builds"][1];
  const Json& failed = case_of(older, "fsdp=2,tp=2");
  EXPECT_EQ(data["scripts"]["cases"].at(failed.at("script").get<std::size_t>()), (Json{1, 0}));
  EXPECT_EQ(case_of(newer, "fsdp=2,tp=2").at("script"), failed.at("script"));
  EXPECT_FALSE(case_of(older, "tp=2,fsdp=2").contains("no_script")) << "equal there";
  EXPECT_EQ(case_of(newer, "tp=2,fsdp=2").at("no_script"), "not built");
  EXPECT_EQ(data["scripts"]["pieces"], (Json{"# common\n", "# own\n"}));
}

TEST(HtmlData, HasNoScriptOfWhatHasNoEffect) {
  Sources sources = of_pytorch();
  for (EvidenceTable& table : sources.evidence)
    for (Observation& row : table.rows) row.verdict = Verdict::ignored;
  EXPECT_TRUE(cases_to_reproduce(sources, "pytorch").empty());
}

TEST(HtmlData, HoldsNoScriptsWhereNobodyWroteThem) {
  const Json data = html_data(of_pytorch(), nullptr);
  EXPECT_TRUE(data.at("scripts").is_null());
  for (const Json& c : data["builds"][0]["cases"]) EXPECT_FALSE(c.contains("script"));
}

}  // namespace
}  // namespace ordercheck
