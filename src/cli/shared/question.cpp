#include "cli/shared/question.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/shared/format_option.h"
#include "cli/shared/hugging_face_config.h"
#include "cli/shared/numbers.h"
#include "import/recording/recorded_stack.h"
#include "import/recording/recording.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

// The command-line words joined by commas to one stack; "" if that is not a valid stack.
std::string as_one(const std::vector<std::string>& words) {
  std::vector<std::string> items;
  // "a, b" arrives as the words "a," and "b".
  for (const std::string& word : words) items.emplace_back(word, 0, word.find_last_not_of(',') + 1);
  const std::string joined = join(items, ",");
  return parse_stack(joined) ? joined : "";
}

// An unquoted "PP -> TP" arrives as "PP" and "-": the shell took '> TP' as a redirection.
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

}  // namespace

void add_question(CLI::App& command, const char* name, const char* help, Question& question) {
  command.add_option(name, question.words, help)->required();
  add_as_option(command, question.as);
  add_target_option(command, question.target);
  command.add_option("--python", question.python, "Check for the version of torch in this Python, without importing torch");
  add_job_options(command, question.job);
  add_format_option(command, question.format);
  command.add_option("--rules", question.rules, "The folder of rules");
}

void add_as_option(CLI::App& command, std::string& as) {
  command.add_option("--as", as, "The format of the file, if its keys do not tell: " + join(import_formats(), ", "));
}

Result<std::vector<WrittenStack>> stacks_of(const std::vector<std::string>& words, const std::string& as, std::size_t count) {
  if (std::string mistake = shell_mistake(words, count); !mistake.empty()) return Error{std::move(mistake)};
  std::vector<WrittenStack> stacks;
  for (const std::string& word : words) {
    auto stack = stack_written(word, as);
    if (!stack) return stack.error();
    stacks.push_back(std::move(stack).value());
  }
  return stacks;
}

void add_target_option(CLI::App& command, std::string& target) {
  command.add_option(
      "--for", target,
      "Check for an engine and version: pytorch-2.11, pytorch (default), native, torchtitan-0.2.2, megatron, ...");
}

namespace {

struct Asked {
  Target target;
  Knowledge knowledge;
};

Result<Asked> asked_of(const std::string& target, const std::string& python, const std::string& rules) {
  const auto engines = known_engines(rules);
  if (!engines) return engines.error();
  const auto asked = asked_target(target, python, *engines);
  if (!asked) return asked.error();
  auto knowledge = load_knowledge(rules, *asked);
  if (!knowledge) return knowledge.error();
  return Asked{.target = *asked, .knowledge = std::move(knowledge).value()};
}

// Without --for and --python, a file is judged for its project's own implementation if pages name that project, else for the
// release that the file states.
Result<Asked> asked_of(const Question& question, const WrittenStack& written) {
  const bool is_said = !question.target.empty() || !question.python.empty();
  if (!is_said && written.imported)
    for (const std::string& target : {written.imported->project, written.imported->fallback})
      if (!target.empty())
        if (auto own = asked_of(target, "", question.rules)) return own;
  return asked_of(question.target, question.python, question.rules);
}

}  // namespace

Result<CheckInput> read_question(const Question& question) {
  const auto stacks = stacks_of(question.words, question.as);
  if (!stacks) return stacks.error();
  auto asked = asked_of(question, stacks->front());
  if (!asked) return asked.error();
  auto settled = settle(asked->target, asked->knowledge);
  if (!settled) return settled.error();
  auto job = job_of(question.job);
  if (!job) return job.error();
  const WrittenStack& written = stacks->front();
  return CheckInput{.stack = written.stack,
                    .imported = written.imported,
                    .knowledge = std::move(asked->knowledge),
                    .settled = std::move(settled).value(),
                    .job = written.imported ? with_stated(*job, *written.imported) : *job};
}

bool wants_colour() { return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

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
    return Error{fmt::format("--set {}: the number of ranks is given with --ranks", written)};
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

void add_size_options(CLI::App& command, JobChoice& choice) {
  command.add_option("--set", choice.sizes, "Sizes of your model or step, NAME=N, joined by commas: " + join(settable(), ", "))
      ->allow_extra_args(false);
  command.add_option("--config", choice.config, "Read sizes from the config.json of a Hugging Face model");
}

void add_job_options(CLI::App& command, JobChoice& choice) {
  add_size_options(command, choice);
  command.add_option("--ranks", choice.ranks, "Number of ranks")->check(whole_number_from(1));
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
  // Without a pipeline, a step has as many microbatches as it accumulates. emplace keeps an explicit value.
  if (const auto said = sizes.find("accumulation"); said != sizes.end()) sizes.emplace("microbatches", said->second);
  return Job(choice.ranks > 0 ? std::optional(choice.ranks) : std::nullopt, std::move(sizes));
}

namespace {

namespace fs = std::filesystem;

bool is_code(const fs::path& path) {
  std::error_code failed;
  return path.extension() == ".py" || fs::is_directory(path, failed);
}

// Accepts only regular files: reading a pipe or device might never end.
Result<std::string> read_whole(const fs::path& path, const std::string& name) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return Error{fmt::format("there is no file {}", one_line(name))};
  if (fs::file_size(path, failed) > kLargestImport)
    return Error{fmt::format("{}: larger than {} bytes; expected a configuration", one_line(name), kLargestImport)};
  return read_file(path);
}

ReadBeside beside(const std::string& path) {
  return [folder = fs::path(path).parent_path()](const std::string& name) {
    const fs::path named(name);
    std::error_code failed;
    const bool is_there = named.is_relative() && fs::is_regular_file(folder / named, failed);
    return read_whole(is_there ? folder / named : named, name);
  };
}

}  // namespace

bool names_file(const std::string& word) {
  std::error_code failed;
  // A missing file also counts: no transform ends like this.
  for (const char* ending : {".yaml", ".yml", ".json", ".toml", ".sh"})
    if (word.ends_with(ending)) return true;
  return !word.empty() && word.find('\0') == std::string::npos && fs::exists(word, failed);
}

Result<Imported> import_file(const std::string& path, const ImportOptions& options) {
  if (is_code(path))
    return Error{fmt::format("{}: training code; ordercheck scan prints its order, and ordercheck check judges it", path)};
  const auto text = read_whole(path, path);
  if (!text) return text.error();
  if (options.format.empty() && is_recording(*text)) {
    const auto recording = parse_recording(*text, path);
    if (!recording) return recording.error();
    return recorded_stack(*recording);
  }
  return import_text(*text, path, beside(path), options);
}

Result<WrittenStack> stack_written(const std::string& word, const std::string& as) {
  auto stack = parse_stack(word);
  if (stack) return WrittenStack{.stack = std::move(stack).value(), .imported = {}};
  if (!names_file(word)) return stack.error();
  auto imported = import_file(word, {.format = as, .overrides = {}});
  if (!imported) return imported.error();
  return WrittenStack{.stack = imported->stack, .imported = std::move(imported).value()};
}

Job with_stated(Job job, const Imported& imported) {
  if (!job.ranks) job.ranks = imported.ranks;
  for (const auto& [name, size] : imported.sizes)
    if (range_of_size(name).holds(size)) job.sizes.emplace(name, size);
  return job;
}

}  // namespace ordercheck::cli
