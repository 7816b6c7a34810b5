// Small errors put in on purpose are seen, each where it is; the twin without the error passes.
#include "ranks/module/mutants.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "plan/mutants.h"
#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

const std::vector<MutantRow>& table() {
  static const MutantRows read = [] {
    auto rows = load_mutant_rows(ORDERCHECK_SOURCE_DIR "/matrix", "native");
    if (!rows) throw std::runtime_error(rows.error().message);
    return *std::move(rows);
  }();
  return read.rows;
}

// A run that keeps its tensors goes on past the range of exact arithmetic, and tells what differs first.
Record kept_past_the_range(const Case& subject, const std::string& mutant) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("past_the_range_" + mutant);
  std::filesystem::create_directories(folder);
  Record kept =
      run_case({.subject = subject, .keep = Keep::values, .mutant = mutant, .values_folder = folder.string()}, nullptr, {});
  std::filesystem::remove_all(folder);
  return kept;
}

class Seen : public testing::TestWithParam<MutantRow> {};

TEST_P(Seen, AndItsTwinPasses) {
  const auto& [mutant, subject, verdict, first, imitates] = GetParam();
  const Record twin = run(subject);
  const auto twin_difference = first_difference(reference(subject), twin);
  ASSERT_FALSE(twin_difference) << in_words(*twin_difference);

  Record record = run(subject, mutant);
  if (verdict == Verdict::hangs) {
    EXPECT_EQ(record.ending, Ending::deadlocked);
    return;
  }
  if (record.ending == Ending::out_of_range) {
    // One rank is in range, so that this layout is not is a difference.
    const Observation seen = judge(
        {.subject = subject, .first = record, .again = {}, .reference = reference(subject), .recommended = {}, .twins = {}});
    EXPECT_EQ(seen.verdict, verdict) << seen.message;
    record = kept_past_the_range(subject, mutant);
  }
  ASSERT_EQ(record.ending, Ending::completed) << record.failure->message;
  const auto difference = first_difference(reference(subject), record);
  if (verdict == Verdict::ignored) {
    EXPECT_FALSE(difference);
    EXPECT_TRUE(effect_of(subject, 0, twin, reference(subject)).present);
    EXPECT_FALSE(effect_of(subject, 0, record, reference(subject)).present);
    return;
  }
  ASSERT_EQ(verdict, Verdict::differs);
  ASSERT_TRUE(difference) << mutant << " was not seen";
  EXPECT_EQ(difference->step == 0 ? difference->what : fmt::format("{} of step {}", difference->what, difference->step), first);
}

INSTANTIATE_TEST_SUITE_P(Mutants, Seen, testing::ValuesIn(table()), [](const auto& info) {
  std::string name = info.param.mutant + "_" + print(info.param.subject);
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

// What degrees that divide every size cannot show: all that was run before fsdp=5 was.
TEST(Mutants, PaddingAtTheFrontIsNotSeenWhereNoShardIsPadded) {
  for (const char* stack : {"fsdp=2", "fsdp=3", "fsdp=4", "tp=2,fsdp=3"}) {
    const Case subject = case_of(stack);
    EXPECT_FALSE(first_difference(reference(subject), run(subject, "pad_front"))) << stack;
  }
}

// The two that a reader of the table could take for any difference.
TEST(Mutants, ThatBringInWhatIsNoNumberLeaveTheRange) {
  for (const auto& [mutant, stack] : {std::pair{"nan_padding", "fsdp=5"}, std::pair{"unscaled", "fsdp=2"}})
    EXPECT_EQ(run(case_of(stack), mutant).ending, Ending::out_of_range) << mutant;
}

TEST(Mutants, EveryOneHasALine) {
  std::set<std::string> lines, known;
  for (const MutantRow& row : table()) lines.insert(row.mutant);
  for (const Mutant& mutant : mutants()) known.insert(mutant.name);
  EXPECT_EQ(lines, known);
}

}  // namespace
}  // namespace ordercheck::ranks
