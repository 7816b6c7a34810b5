// Whom a claim is about: a project, perhaps one implementation in it, and a range of versions. And whom a question is
// about: the engine that a stack is judged for.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

// "2.11", "2.11.0+cpu", "2.15.0a0+git1f2e": numbers up to the first thing that is none. Missing parts are zero, so 2.11 is
// 2.11.0.
struct Version {
  std::vector<int> parts;
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == std::strong_ordering::equal; }
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
};
Result<Version> parse_version(std::string_view text);
std::string print(const Version& version);
bool is_within(const Version& version, const Version& wider);  // 2.11.0 is a 2.11

enum class Relation { at_least, above, at_most, below, exactly };

struct VersionBound {
  Relation relation = Relation::at_least;
  Version version;
  friend bool operator==(const VersionBound&, const VersionBound&) = default;
};

// One entry of `holds`: "math", or "<project>[-<implementation>]" followed by bounds, all of which must be met:
//   "pytorch>=2.6,<2.12"   "pytorch-fsdp1<2.6"   "native>=1"
// "math" holds for every engine in every version.
struct Holds {
  std::string project;  // "math" for a claim about the mathematics
  std::string implementation;
  std::vector<VersionBound> bounds;
  friend bool operator==(const Holds&, const Holds&) = default;
};
Result<Holds> parse_holds(std::string_view text);
std::string print(const Holds& holds);

// An engine and its version: "pytorch-2.11", "native". Without a version the newest that is known is meant.
struct Target {
  std::string project;
  std::string implementation;
  std::optional<Version> version;
  friend bool operator==(const Target&, const Target&) = default;
};
Result<Target> parse_target(std::string_view text);
// "pytorch 2.11"; "megatron" where pages name no release of it.
std::string print(const Target& target);
bool names_a_release(const Version& version);  // any but 0, of ">=0"

// A target without a version meets no bound: settle the version first (newest_known in rules.h).
bool holds_for(const Holds& holds, const Target& target);

// A claim about this project itself, and about no single implementation in it, whatever the version: what decides
// whether a run may grade it.
bool speaks_about(const Holds& holds, std::string_view project);

// Every version that the entry allows is older than `version`.
bool ended_before(const Holds& holds, const Version& version);

}  // namespace ordercheck
