#include "knowledge/target.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/text.h"
#include "check/check.h"
#include "engine/pytorch_engine.h"

namespace ordercheck {
namespace {

// 2.11.0 is a 2.11.
bool is_within(const Version& version, const Version& wider) {
  return version.parts.size() >= wider.parts.size() &&
         std::equal(wider.parts.begin(), wider.parts.end(), version.parts.begin());
}

// A version alone, or that of torch, as pip calls it, is near enough to say what was meant.
Result<Target> parse_written(const std::string& written, const std::string& usual) {
  if (written.empty()) return parse_target(usual);
  const std::string version = written.starts_with("torch-") ? written.substr(6) : written;
  if (parse_version(version))
    return Error{fmt::format("--for {} names no engine; did you mean {}-{}?", written, usual, version)};
  if (written == "torch") return Error{fmt::format("--for torch: did you mean {}?", usual)};
  return parse_target(written);
}

std::optional<Version> newest_run(const std::vector<Observation>& observations, const std::string& project) {
  std::optional<Version> newest;
  for (const Observation& seen : observations)
    if (const auto version = seen.engine == project ? parse_version(seen.version) : Result<Version>(Error{""}); version)
      if (!newest || *version > *newest) newest = *version;
  return newest;
}

}  // namespace

std::string usual_target(const std::vector<EngineFile>& engines) {
  const auto usual = std::ranges::find(engines, true, &EngineFile::usual_target);
  assert(usual != engines.end() && "one of the engines that come with ordercheck says so");
  return usual->name;
}

Result<Target> asked_target(const std::string& written, const std::string& python, const std::vector<EngineFile>& engines) {
  const std::string usual = usual_target(engines);
  const Result<Target> asked = parse_written(written, usual);
  if (!asked || python.empty()) return asked;
  const auto torch = installed_torch(python);
  if (!torch) return torch.error();
  Result<Target> installed = parse_target(fmt::format("{}-{}", usual, *torch));
  if (!installed || written.empty()) return installed;
  if (asked->project != usual || (asked->version && !is_within(installed->version.value(), *asked->version)))
    return Error{fmt::format("--for {} and --python {} disagree: torch {} is installed there; leave one of the two out",
                             written, python, *torch)};
  installed->implementation = asked->implementation;
  return installed;
}

Result<SettledTarget> settle(const Target& asked, const Knowledge& knowledge) {
  const Result<Target> settled = settle_target(asked, knowledge.rules, knowledge.observations);
  if (!settled) return settled.error();
  SettledTarget found{.target = *settled, .assumed = !asked.version.has_value()};
  if (const auto newest = newest_run(knowledge.observations, settled->project); newest && *settled->version > *newest)
    found.newest_run = newest;
  return found;
}

Result<SettledTarget> settled_target(const std::string& written, const std::string& python, const Knowledge& knowledge) {
  const auto asked = asked_target(written, python, knowledge.engines);
  return asked ? settle(*asked, knowledge) : asked.error();
}

}  // namespace ordercheck
