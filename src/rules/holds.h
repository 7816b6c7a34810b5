// Defines the field `holds` of rule pages (the project, implementation and versions that a claim is about), and the target:
// the engine and version that a stack is checked for.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

// A version: the leading numbers of "2.11", "2.11.0+cpu" or "2.15.0a0+git1f2e". Missing parts are zero, so 2.11 equals 2.11.0.
struct Version {
  std::vector<int> parts;
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == std::strong_ordering::equal; }
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
};
Result<Version> parse_version(std::string_view text);
std::string print(const Version& version);
bool is_within(const Version& version, const Version& wider);  // 2.11.0 is within 2.11

enum class Relation { at_least, above, at_most, below, exactly };

struct VersionBound {
  Relation relation = Relation::at_least;
  Version version;
  friend bool operator==(const VersionBound&, const VersionBound&) = default;
};

// One entry of `holds`: "math", or "<project>[-<implementation>]" with bounds, which must all hold: "pytorch>=2.6,<2.12",
// "pytorch-fsdp1<2.6", "native>=1". "math" holds for every engine and version.
struct Holds {
  std::string project;  // "math" for a claim about mathematics
  std::string implementation;
  std::vector<VersionBound> bounds;
  friend bool operator==(const Holds&, const Holds&) = default;
};
Result<Holds> parse_holds(std::string_view text);
std::string print(const Holds& holds);

// An engine and its version: "pytorch-2.11", "native". Without a version, the newest known one.
struct Target {
  std::string project;
  std::string implementation;
  std::optional<Version> version;
  friend bool operator==(const Target&, const Target&) = default;
};
Result<Target> parse_target(std::string_view text);
// "pytorch 2.11"; "megatron" if pages name no release of it.
std::string print(const Target& target);
bool names_a_release(const Version& version);  // anything but 0, which stands for ">=0"

// Whether the target's version is within the bounds. False for a target without a version: complete it first (settle_target in
// check.h).
bool holds_for(const Holds& holds, const Target& target);

// Whether the entry names the project itself, not one implementation of it, whatever the version. Only then may a run of the
// project grade the claim.
bool speaks_about(const Holds& holds, std::string_view project);

// Whether every version that the entry allows is older than `version`.
bool ended_before(const Holds& holds, const Version& version);

}  // namespace ordercheck
