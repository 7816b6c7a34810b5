// ordercheck doctor: checks the prerequisites of a run, and prints what each engine's worker reports.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/shared/format_option.h"
#include "matrix/engine_spec.h"
#include "matrix/knowledge.h"
#include "matrix/pool.h"
#include "matrix/pytorch_engine.h"
#include "rules/load.h"
#include "stack/transforms.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
  std::string rules;
  std::vector<std::string> pythons;
  std::string format = "text";
};

struct Prerequisite {
  std::string what, text;
  bool is_missing = false;
};

struct PrerequisiteGroup {
  std::string engine;  // "" for what every engine needs
  std::vector<Prerequisite> items;
};

// Collects what was found. In text, prints each item at once, because a worker takes seconds to start.
class Findings {
 public:
  explicit Findings(bool is_text) : is_text_(is_text), sections_{{}} {}

  void begin(const std::string& engine) {
    sections_.push_back({.engine = engine, .items = {}});
    if (is_text_) fmt::print("\nThe {} engine\n", engine);
  }
  void found(const std::string& what, const std::string& text) { add({.what = what, .text = text}); }
  void missing(const std::string& what, const std::string& text) { add({.what = what, .text = text, .is_missing = true}); }
  bool complete() const {
    return std::ranges::none_of(sections_, [](const PrerequisiteGroup& one) {
      return std::ranges::any_of(one.items, std::identity(), &Prerequisite::is_missing);
    });
  }
  const std::vector<PrerequisiteGroup>& sections() const { return sections_; }

 private:
  void add(Prerequisite item) {
    if (is_text_) fmt::print("{}", labelled(0, item.what, 10, (item.is_missing ? "missing: " : "") + item.text));
    sections_.back().items.push_back(std::move(item));
  }

  bool is_text_ = true;
  std::vector<PrerequisiteGroup> sections_;
};

std::string doctor_json(const Findings& findings) {
  using Json = nlohmann::ordered_json;
  Json sections = Json::array();
  for (const PrerequisiteGroup& section : findings.sections()) {
    Json items = Json::array();
    for (const Prerequisite& item : section.items)
      items.push_back({{"what", item.what}, {"text", displayable(item.text)}, {"missing", item.is_missing}});
    sections.push_back({{"engine", section.engine.empty() ? Json(nullptr) : Json(section.engine)}, {"items", items}});
  }
  const Json whole{{"schema", "ordercheck/doctor/1"}, {"complete", findings.complete()}, {"sections", sections}};
  return whole.dump(2) + "\n";
}

void look_at_rules(const std::string& written, Findings& findings) {
  const Result<fs::path> folder = find_rules_folder(written);
  if (!folder) return findings.missing("rules", folder.error().message);
  const Result<std::vector<Rule>> rules = load_rules(*folder);
  if (!rules) return findings.missing("rules", rules.error().message);
  findings.found("rules", fmt::format("{} in {}", counted(rules->size(), "rule"), folder->string()));
}

void look_at_cache(Findings& findings) {
  const Result<fs::path> folder = cache_folder();
  if (!folder) return findings.missing("cache", folder.error().message);
  if (const Status writable = check_writable(*folder); !writable) return findings.missing("cache", writable.error().message);
  findings.found("cache", folder->string());
}

void print_hello(const Hello& hello, Findings& findings) {
  const auto listed = [](const std::vector<std::string>& words) { return words.empty() ? "none" : join(words, " "); };
  findings.found("engine", hello.engine);
  findings.found("versions", hello.versions.empty() ? "none" : join(hello.versions, ", "));
  const std::string absent = hello.absent_device.empty() ? "" : fmt::format(" ({})", hello.absent_device);
  findings.found("devices", listed(hello.devices) + absent);
  findings.found("transforms", listed(names_in(hello.transforms)));
  findings.found("models", listed(hello.models));
  findings.found("own code", hello.own_code ? "yes" : "no");
  findings.found("faults", listed(hello.faults));
  findings.found("ranks", fmt::format("up to {}", hello.max_ranks));
  findings.found("program", hello.content_hash);
}

// An installation is complete without an engine that it cannot have.
void look_at_worker(const EngineFile& file, Findings& findings) {
  Result<EngineSpec> engine = engine_spec(file);
  if (!engine && !has_worker(file) && !is_in_checkout())
    return findings.found("worker", "not there: " + engine.error().message);
  if (!engine) return findings.missing("worker", engine.error().message);
  if (!file.built_beside.empty() && !named_worker().empty()) engine->name.clear();
  const Result<std::unique_ptr<Pool>> pool = Pool::start(*engine, {});
  if (!pool) return findings.missing("worker", pool.error().message);
  findings.found("worker", engine->command[0]);
  print_hello(pool.value()->hello(), findings);
}

// Other engines do not need the interpreter, so a missing one counts only if the user named it.
void look_at_interpreter(const EngineFile& file, const std::string& python, Findings& findings) {
  const auto absent = [&](const std::string& why) {
    if (python.empty()) return findings.found("python", "not there: " + why);
    findings.missing("python", why);
  };
  const Result<EngineSpec> engine = engine_spec(file, python);
  if (!engine) return absent(engine.error().message);
  const Result<std::unique_ptr<Pool>> pool = Pool::start(*engine, {});
  if (!pool) return absent(pool.error().message);
  findings.found("python", engine->command[0]);
  findings.found("torch", engine->build);
  findings.found("driver", find_pytorch_driver()->string());
  print_hello(pool.value()->hello(), findings);
}

void look_at_engine(const EngineFile& file, const std::vector<std::string>& pythons, Findings& findings) {
  if (file.interpreter.empty()) {
    findings.begin(file.name);
    return look_at_worker(file, findings);
  }
  for (const std::string& python : pythons.empty() ? std::vector<std::string>{""} : pythons) {
    findings.begin(file.name);
    look_at_interpreter(file, python, findings);
  }
}

int run_doctor(const DoctorOptions& options) {
  Findings findings(options.format == "text");
  look_at_rules(options.rules, findings);
  look_at_cache(findings);
  const auto engines = known_engines(options.rules);
  if (!engines) findings.missing("engines", engines.error().message);
  for (const EngineFile& file : engines ? *engines : std::vector<EngineFile>{}) look_at_engine(file, options.pythons, findings);
  if (options.format == "json") fmt::print("{}", doctor_json(findings));
  return findings.complete() ? kNothingAgainst : kBadInput;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand("doctor", "Report which engines and files are found and which are missing");
  command->group(kKeep);
  command->add_option("--rules", options->rules, "The folder of rules");
  command->add_option("--python", options->pythons, "Check the pytorch engine in this interpreter; repeatable")
      ->allow_extra_args(false);
  add_format_option(*command, options->format);
  show_examples(*command, {"doctor", "doctor --python python3"});
  command->callback([options, &exit_code] { exit_code = run_doctor(*options); });
}

}  // namespace ordercheck::cli
