#include "cli/shared/job_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/shared/hugging_face_config.h"

namespace ordercheck::cli {
namespace {

std::vector<std::string> settable() {
  std::vector<std::string> names = model_size_names();
  names.insert(names.end(), step_size_names().begin(), step_size_names().end());
  return names;
}

Error unknown_size(const std::string& name, const std::string& written) {
  const std::vector<std::string> names = settable();
  const std::vector<std::string> degrees{"pp", "dp_replicate", "dp_shard", "cp", "tp", "ep", "dp"};
  if (name == "ranks" || name == "world")
    return Error{fmt::format("--set {}: the number of ranks is given with --world", written)};
  if (contains(degrees, name))
    return Error{fmt::format("--set {}: '{}' is a degree, not a size; write it in the stack", written, name)};
  return Error{fmt::format("--set {}: unknown size '{}'; {}", written, name, did_you_mean(name, names))};
}

Status set_size(const std::string& written, Sizes& sizes) {
  const std::size_t sign = written.find('=');
  const std::string name(trim(written.substr(0, sign)));
  const auto names = settable();
  if (!contains(names, name)) return unknown_size(one_line(name), one_line(written));
  const auto value = sign == std::string::npos ? std::nullopt : parse_integer(trim(written.substr(sign + 1)));
  const SizeRange range = range_of_size(name);
  if (!value || !range.holds(*value))
    return Error{fmt::format("--set {}: expected {}=N, {}", one_line(written), name, in_words(range))};
  if (const auto [at, is_new] = sizes.emplace(name, *value); !is_new && at->second != *value)
    return Error{fmt::format("--set {}: {} is set twice, to {} and to {}", one_line(written), name, at->second, *value)};
  return Done{};
}

}  // namespace

void add_job_options(CLI::App& command, JobChoice& choice) {
  command
      .add_option("--set", choice.sizes,
                  "A size of your model or step, NAME=N, also several joined by commas: " + join(settable(), ", "))
      ->allow_extra_args(false);
  command.add_option("--config", choice.config, "Sizes from the config.json of a Hugging Face model");
  command.add_option("--world", choice.ranks, "How many ranks there are")->check(CLI::PositiveNumber);
}

Result<Job> job_of(const JobChoice& choice) {
  Sizes sizes;
  for (const std::string& words : choice.sizes)
    for (const std::string& written : split(words, ','))
      if (const Status set = set_size(written, sizes); !set) return set.error();
  if (!choice.config.empty()) {
    const auto text = read_file(choice.config);
    if (!text) return text.error();
    const auto config = read_config(*text, choice.config);
    if (!config) return config.error();
    sizes.insert(config->sizes.begin(), config->sizes.end());
    fmt::print(stderr, "{}: {}{}{}\n", choice.config, join(config->used, ", "),
               config->missing.empty() ? "" : "; not in it: ", join(config->missing, ", "));
  }
  // A step that no pipeline cuts has the microbatches that it accumulates; what is said of both stays.
  if (const auto said = sizes.find("accumulation"); said != sizes.end()) sizes.emplace("microbatches", said->second);
  return Job(choice.ranks > 0 ? std::optional(choice.ranks) : std::nullopt, std::move(sizes));
}

}  // namespace ordercheck::cli
