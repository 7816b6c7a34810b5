#include "report/pages/mutant_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordercheck {
namespace {

MutantRow row_of(const std::string& mutant, const std::string& stack, const std::string& imitates) {
  return {.mutant = mutant,
          .subject = parse_case(stack).value(),
          .verdict = Verdict::differs,
          .first = "loss",
          .imitates = imitates};
}

// Of three mutants one is seen, one is seen with a twin that differs too, and one was not run.
Sources sources_with_mutants() {
  Sources sources;
  sources.error_classes = {{.id = "M1", .what = "a", .shown_by = ""},
                           {.id = "M2", .what = "b", .shown_by = ""},
                           {.id = "M3", .what = "c", .shown_by = ""},
                           {.id = "M7", .what = "d", .shown_by = "orders"}};
  const auto run_of = [](const std::string& mutant, Verdict twin) {
    return MutantRun{.mutant = mutant,
                     .case_text = "tp=2",
                     .breaks = "what it breaks",
                     .twin = twin,
                     .verdict = Verdict::differs,
                     .first = "loss",
                     .message = ""};
  };
  sources.mutants = {
      {.table = {.engine = "e",
                 .rows = {row_of("one", "tp=2", "M1"), row_of("two", "tp=2", "M2"), row_of("three", "ac", "M3")}},
       .seen = {.engine = "e",
                .versions = {"lib 1"},
                .device = "cpu",
                .rows = {run_of("one", Verdict::equal), run_of("two", Verdict::differs)}}}};
  return sources;
}

TEST(MutantsView, SaysWhatWasSeenAndWhatWasNotRun) {
  const MutantsView view = mutants_view(sources_with_mutants().mutants[0]);
  EXPECT_EQ(view.title, "e (lib 1, cpu)");
  EXPECT_EQ(view.result, "3 rows, 1 seen where expected with a twin that is equal or close");
  ASSERT_EQ(view.rows.size(), 3u);
  EXPECT_EQ(view.rows[0].mutant, "`one`");
  EXPECT_EQ(view.rows[0].sighting, "seen");
  EXPECT_EQ(view.rows[1].twin, "differs");
  EXPECT_EQ(view.rows[2].seen, "not run");
}

TEST(ErrorClassesView, CoversWhatAMutantThatIsSeenImitates) {
  const ErrorClassesView view = error_classes_view(sources_with_mutants());
  ASSERT_EQ(view.covered.size(), 1u);
  EXPECT_EQ(view.covered[0].id, "M1");
  EXPECT_EQ(view.covered[0].by, "`one`");
  ASSERT_EQ(view.not_covered.size(), 3u);
  EXPECT_EQ(view.not_covered[1].by, "");
  EXPECT_EQ(view.not_covered[2].by, "orders");
}

}  // namespace
}  // namespace ordercheck
