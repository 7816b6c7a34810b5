#include "cli/settings/project_notes.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

Allow entry(const std::string& stack, const std::string& until, int line) {
  return {.rule = "ORD-010", .stack = stack, .reason = "r", .until = until, .line = line};
}

int line_for(const Project& project, const std::string& stack, const std::string& rule = "ORD-010") {
  const Allow* found = allowance_for(project, stack, rule, "2027-03-01");
  return found == nullptr ? 0 : found->line;
}

TEST(Allowance, AnEntryHoldsThroughItsLastDay) {
  EXPECT_FALSE(has_expired(entry("", "2027-03-01", 1), "2027-03-01"));
  EXPECT_TRUE(has_expired(entry("", "2027-02-28", 1), "2027-03-01"));
  EXPECT_FALSE(has_expired(entry("", "", 1), "2027-03-01")) << "a comment";
}

TEST(Allowance, AnEntryThatHoldsGoesBeforeOneThatExpired) {
  Project project;
  project.allows = {entry("", "2026-01-01", 1), entry("a", "2027-03-01", 2), entry("c", "2026-01-01", 3)};
  EXPECT_EQ(line_for(project, "a"), 2);
  EXPECT_EQ(line_for(project, "b"), 1) << "expired, and told as such";
  EXPECT_EQ(line_for(project, "a", "ORD-011"), 0);
  EXPECT_EQ(line_for({}, "a"), 0);
}

}  // namespace
}  // namespace ordercheck
