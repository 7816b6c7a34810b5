#include "cli/shared/question.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "check/check.h"
#include "cli/shared/format_option.h"
#include "engine/pytorch_engine.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

// Words as one stack, "" where they are none.
std::string as_one(const std::vector<std::string>& words) {
  std::vector<std::string> items;
  for (const std::string& word : words) items.emplace_back(word, 0, word.find_last_not_of(',') + 1);
  const std::string joined = join(items, ",");
  return parse_stack(joined) ? joined : "";
}

// An unquoted "PP -> TP" reaches us as "PP" and "-": the shell read '> TP' as a file to write to.
std::string shell_mistake(const std::vector<std::string>& words, std::size_t count) {
  if (contains(words, "-"))
    return "a lone '-' among the arguments: the shell took an unquoted '->' as a redirection, and the rest of the stack "
           "with it (a file may have been written); quote the stack";
  if (words.size() == count) return "";
  if (const std::string one = as_one(words); count == 1 && !one.empty())
    return fmt::format("expected one stack, got {} words; did you mean {}?", words.size(), one);
  return count == 1 ? fmt::format("expected one stack, got {} words; quote it", words.size())
                    : fmt::format("expected {} stacks, got {}; quote each", count, words.size());
}

// 2.11.0 is a 2.11.
bool is_within(const Version& version, const Version& wider) {
  return version.parts.size() >= wider.parts.size() &&
         std::equal(wider.parts.begin(), wider.parts.end(), version.parts.begin());
}

// "" is pytorch. A version alone, or that of torch, as pip calls it, is near enough to say what was meant.
Result<Target> parse_written(const std::string& written) {
  if (written.empty()) return parse_target(kUsualTarget);
  const std::string version = written.starts_with("torch-") ? written.substr(6) : written;
  if (parse_version(version))
    return Error{fmt::format("--for {} names no engine; did you mean {}-{}?", written, kUsualTarget, version)};
  if (written == "torch") return Error{fmt::format("--for torch: did you mean {}?", kUsualTarget)};
  return parse_target(written);
}

std::optional<Version> newest_run(const std::vector<Observation>& observations, const std::string& project) {
  std::optional<Version> newest;
  for (const Observation& seen : observations)
    if (const auto version = seen.engine == project ? parse_version(seen.version) : Result<Version>(Error{""}); version)
      if (!newest || *version > *newest) newest = *version;
  return newest;
}

// Whom the question is about, before any page was read: "" is pytorch, and an interpreter's torch gives the version.
Result<Target> asked_target(const std::string& written, const std::string& python) {
  if (python.empty()) return parse_written(written);
  const auto torch = installed_torch(python);
  return torch ? parse_target(fmt::format("{}-{}", kUsualTarget, *torch)) : torch.error();
}

}  // namespace

void add_question(CLI::App& command, const char* name, const char* help, Question& question) {
  command.add_option(name, question.words, help)->required();
  add_target_option(command, question.target);
  command.add_option("--python", question.python, "Judge for the torch that is installed in this Python; it is not imported");
  add_job_options(command, question.job);
  add_format_option(command, question.format);
  command.add_option("--rules", question.rules, "The folder of rule pages");
}

Result<std::vector<Stack>> stacks_of(const std::vector<std::string>& words, std::size_t count) {
  if (std::string mistake = shell_mistake(words, count); !mistake.empty()) return Error{std::move(mistake)};
  std::vector<Stack> stacks;
  for (const std::string& word : words) {
    Result<Stack> stack = parse_stack(word);
    if (!stack) return stack.error();
    stacks.push_back(std::move(stack).value());
  }
  return stacks;
}

void add_target_option(CLI::App& command, std::string& target) {
  command.add_option(
      "--for", target,
      "Judge for an engine and version: pytorch-2.11, pytorch (the default), native, torchtitan-0.2.2, megatron, ...");
}

Result<MeantTarget> target_for(const std::string& written, const Knowledge& knowledge) {
  const Result<Target> asked = parse_written(written);
  if (!asked) return asked.error();
  const Result<Target> settled = settle_target(*asked, knowledge.rules, knowledge.observations);
  if (!settled) return settled.error();
  MeantTarget meant{.target = *settled, .assumed = !asked->version.has_value()};
  if (const auto newest = newest_run(knowledge.observations, settled->project); newest && *settled->version > *newest)
    meant.newest_run = newest;
  return meant;
}

Result<MeantTarget> target_for(const std::string& written, const std::string& python, const Knowledge& knowledge) {
  if (python.empty()) return target_for(written, knowledge);
  const auto torch = installed_torch(python);
  if (!torch) return torch.error();
  auto found = target_for(fmt::format("{}-{}", kUsualTarget, *torch), knowledge);
  if (!found || written.empty()) return found;
  const auto asked = parse_target(written);
  if (!asked) return asked.error();
  const bool same =
      asked->project == kUsualTarget && (!asked->version || is_within(found->target.version.value(), *asked->version));
  if (!same)
    return Error{fmt::format("--for {} and --python {} disagree: torch {} is installed there; leave one of the two out",
                             written, python, *torch)};
  Target target = found->target;
  target.implementation = asked->implementation;
  return MeantTarget{.target = target};
}

Result<Asked> ask(const Question& question) {
  const auto stacks = stacks_of(question.words);
  if (!stacks) return stacks.error();
  const auto asked = asked_target(question.target, question.python);
  if (!asked) return asked.error();
  auto knowledge = load_knowledge(question.rules, *asked);
  if (!knowledge) return knowledge.error();
  auto meant = target_for(question.target, question.python, *knowledge);
  if (!meant) return meant.error();
  auto job = job_of(question.job);
  if (!job) return job.error();
  return Asked{.stack = stacks->front(),
               .knowledge = std::move(knowledge).value(),
               .meant = std::move(meant).value(),
               .job = std::move(job).value()};
}

bool wants_colour() { return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace ordercheck::cli
