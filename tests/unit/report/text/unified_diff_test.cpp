#include "report/text/unified_diff.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

TEST(UnifiedDiff, IsNothingForEqualTexts) { EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n", "x"), ""); }

TEST(UnifiedDiff, ShowsAChangedLineWithThreeLinesAroundIt) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x"),
            "--- x\n+++ x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, ShowsANewAndARemovedText) {
  EXPECT_EQ(unified_diff("", "a\nb\n", "x"), "--- x\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(unified_diff("a\n", "", "x"), "--- x\n+++ x\n@@ -1,1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, KeepsFarChangesApart) {
  const std::string before = "a\n1\n2\n3\n4\n5\n6\n7\nb\n", after = "A\n1\n2\n3\n4\n5\n6\n7\nB\n";
  EXPECT_EQ(unified_diff(before, after, "x"),
            "--- x\n+++ x\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

}  // namespace
}  // namespace ordercheck
