#include "matrix/engine_file.h"

#include <algorithm>
#include <cassert>
#include <map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInterpreter = "python with torch";
constexpr const char* kGraphs = "graphs";
constexpr const char* kCheck = "check";
constexpr std::string_view kDefinition = "definition";

struct EngineText {
  const char* name;
  const char* text;
};
constexpr EngineText kBuiltIn[] = {
#include "matrix/engine_texts.inc"
};

std::vector<std::string> command_of(TomlTable& file, const fs::path& folder) {
  std::vector<std::string> command = file.words_if_given("command");
  for (std::string& word : command)
    if (word.starts_with("./")) word = (folder / word.substr(2)).string();
  return command;
}

// Exactly one way to start the worker must be given.
void check_start(TomlTable& file, const EngineFile& engine) {
  const int ways = !engine.command.empty() + !engine.built_beside.empty() + !engine.interpreter.empty();
  if (ways != 1)
    file.refuse("command", "expected one of command = [\"program\", \"argument\"], built_beside or interpreter, got " +
                               std::string(ways == 0 ? "none" : "several"));
  if (!engine.interpreter.empty() && engine.interpreter != kInterpreter)
    file.refuse("interpreter", fmt::format("expected interpreter = \"{}\", got \"{}\"", kInterpreter, engine.interpreter));
  if (!engine.project.empty() && engine.interpreter.empty())
    file.refuse("project", fmt::format("expected interpreter = \"{}\" too, got none", kInterpreter));
}

void read_uses(TomlTable& file, EngineFile& engine) {
  const std::vector<std::string> uses = file.texts_if_given("usual_for");
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (uses[i] != kCheck && uses[i] != kDefinition)
      file.refuse("usual_for", i, fmt::format("expected '{}' or '{}', got '{}'", kCheck, kDefinition, uses[i]));
  engine.usual_target = contains(uses, kCheck);
  engine.by_definition = contains(uses, kDefinition);
}

void check_words(TomlTable& file, const EngineFile& engine) {
  for (std::size_t i = 0; i < engine.environment.size(); ++i)
    if (engine.environment[i].find('=') == std::string::npos)
      file.refuse("environment", i, fmt::format("expected NAME=value, got '{}'", engine.environment[i]));
  for (std::size_t i = 0; i < engine.keeps.size(); ++i)
    if (engine.keeps[i] != kGraphs) file.refuse("keeps", i, fmt::format("expected '{}', got '{}'", kGraphs, engine.keeps[i]));
}

}  // namespace

Result<EngineFile> parse_engine_file(std::string_view text, const fs::path& path) {
  TomlTable file(text, path.string());
  EngineFile engine{.name = path.stem().string(),
                    .command = command_of(file, fs::absolute(path).parent_path()),
                    .built_beside = file.text_if_given("built_beside"),
                    .interpreter = file.text_if_given("interpreter"),
                    .project = file.text_if_given("project"),
                    .environment = file.texts_if_given("environment"),
                    .timeout = std::chrono::seconds(file.number_if_given("timeout").value_or(EngineFile{}.timeout.count())),
                    .slow_start = std::chrono::seconds(file.number_if_given("slow_start").value_or(0)),
                    .threads = file.number_if_given("threads").value_or(EngineFile{}.threads),
                    .worlds = file.words_if_given("worlds"),
                    .devices = file.words_if_given("devices"),
                    .keeps = file.texts_if_given("keeps"),
                    .sources = file.texts_if_given("sources")};
  read_uses(file, engine);
  check_start(file, engine);
  check_words(file, engine);
  if (const auto error = file.error()) return *error;
  return engine;
}

Result<std::vector<EngineFile>> load_engine_files(const fs::path& folder) {
  std::map<std::string, EngineFile> by_name;
  for (const EngineText& one : kBuiltIn) {
    auto engine = parse_engine_file(one.text, fs::path("matrix/engines") / (std::string(one.name) + ".toml"));
    if (!engine) return engine.error();
    const std::string name = engine->name;
    by_name[name] = std::move(engine).value();
  }
  std::error_code failed;
  // A missing folder only sets `failed`: the loop is empty then.
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".toml") continue;
    const auto text = read_file(entry.path());
    if (!text) return text.error();
    auto engine = parse_engine_file(*text, entry.path());
    if (!engine) return engine.error();
    const std::string name = engine->name;
    // A file that only changes how the engine starts must not drop its role as the usual target.
    engine->usual_target |= by_name.contains(name) && by_name[name].usual_target;
    by_name[name] = std::move(engine).value();
  }
  std::vector<EngineFile> known;
  for (auto& [name, engine] : by_name) known.push_back(std::move(engine));
  return known;
}

const EngineFile* find_engine(const std::vector<EngineFile>& known, std::string_view name) {
  const auto found = std::ranges::find(known, name, &EngineFile::name);
  return found == known.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<EngineFile>& known) {
  std::vector<std::string> names;
  for (const EngineFile& engine : known) names.push_back(engine.name);
  return names;
}

}  // namespace ordercheck
