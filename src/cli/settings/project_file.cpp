#include "cli/settings/project_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/toml.h"
#include "rules/job.h"
#include "stack/notation.h"
#include "stack/own_functions.h"

namespace ordercheck {
namespace {

// The line of one key of a [[name]] entry.
int line_in(const toml::node_view<const toml::node>& part, const char* name, std::size_t index, const char* key) {
  const toml::array* list = part[name].as_array();
  const toml::node* entry = list ? list->get(index) : nullptr;
  const toml::table* table = entry ? entry->as_table() : nullptr;
  if (!table) return 1;
  for (const auto& [found, node] : *table)
    if (found.str() == key) return std::max(1, static_cast<int>(found.source().begin.line));
  return std::max(1, static_cast<int>(table->source().begin.line));
}

Job read_sizes(TomlTable sizes, TomlTable& entry) {
  Sizes known;
  for (const auto* names : {&model_size_names(), &step_size_names()})
    for (const std::string& name : *names)
      if (const auto size = sizes.number_if_given(name, range_of_size(name).least)) known[name] = *size;
  const auto ranks = sizes.number_if_given("ranks");
  entry.adopt(sizes);
  return Job(ranks, std::move(known));
}

std::string function_if_given(TomlTable& entry, const std::string& key) {
  std::string written = entry.text_if_given(key);
  const auto colon = written.find(':');
  if (!written.empty() && (colon == std::string::npos || colon == 0 || colon + 1 == written.size()))
    entry.refuse(key, fmt::format("{} '{}' is not written pkg.module:function", key, written));
  return written;
}

std::optional<Arithmetic> arithmetic_if_given(TomlTable& entry) {
  const std::string written = entry.text_if_given("arithmetic");
  if (written.empty()) return std::nullopt;
  for (const Arithmetic one : {Arithmetic::exact, Arithmetic::plain, Arithmetic::float32})
    if (written == name_of(one)) return one;
  entry.refuse("arithmetic", fmt::format("arithmetic '{}' is none; expected exact, plain or float32", written));
  return std::nullopt;
}

ProjectRun read_run(TomlTable& entry) {
  ProjectRun run;
  run.model = function_if_given(entry, "model");
  for (const auto& function : kOwnFunctions<ProjectRun>) run.*function.member = function_if_given(entry, function.key);
  run.widen = join(entry.texts_if_given("widen"), "+");
  run.python = entry.text_if_given("python");
  run.arithmetic = arithmetic_if_given(entry);
  run.steps = entry.number_if_given("steps");
  return run;
}

ProjectStack read_stack(TomlTable& entry) {
  ProjectStack one;
  one.name = entry.text("name");
  one.stack = entry.take("stack", parse_stack(entry.text("stack")));
  one.target = entry.text_if_given("for");
  one.run = read_run(entry);
  one.job = entry.has("sizes") ? read_sizes(entry.table("sizes"), entry) : Job({}, {});
  return one;
}

Allow read_allow(TomlTable& entry, const std::vector<ProjectStack>& stacks) {
  Allow one{.rule = entry.text("rule"),
            .stack = entry.text_if_given("stack"),
            .reason = entry.text("reason"),
            .until = entry.date_if_given("until")};
  if (!entry.has("until"))
    entry.refuse("rule", "the key 'until' is missing: the last day on which this is allowed, YYYY-MM-DD");
  std::vector<std::string> names;
  for (const ProjectStack& stack : stacks) names.push_back(stack.name);
  if (!one.stack.empty() && !contains(names, one.stack))
    entry.refuse("stack", fmt::format("no [[stack]] has the name '{}'; {}", one.stack, did_you_mean(one.stack, names)));
  return one;
}

bool is_of_python(const std::string& path) {
  return path == kPythonProject || path.ends_with("/" + std::string(kPythonProject));
}

}  // namespace

bool has_project_table(std::string_view text) {
  toml::table whole;
  return !parse_toml(text, whole) && whole["tool"]["ordercheck"].is_table();
}

Result<Project> parse_project(std::string_view text, const std::string& path) {
  TomlTable whole(text, path);
  toml::table lines;
  const auto mistake = parse_toml(text, lines);
  if (mistake) return whole.error().value();
  const bool nested = is_of_python(path);
  if (nested && !has_project_table(text))
    return Error{fmt::format("{}: there is no [tool.ordercheck]; write the stacks as [[tool.ordercheck.stack]]", path)};
  TomlTable file = nested ? whole.table("tool").table("ordercheck") : std::move(whole);
  // A const reference selects the const node_view.
  const toml::table& unmoved = lines;
  const auto part = nested ? unmoved["tool"]["ordercheck"] : toml::node_view<const toml::node>(unmoved);
  Project project{.path = path, .rules = file.texts_if_given("rules"), .stacks = {}, .allows = {}};
  for (TomlTable& entry : file.tables_if_given("stack")) {
    ProjectStack one = read_stack(entry);
    one.line = line_in(part, "stack", project.stacks.size(), "stack");
    if (std::ranges::count(project.stacks, one.name, &ProjectStack::name) > 0)
      entry.refuse("name", fmt::format("two stacks have the name '{}'", one.name));
    project.stacks.push_back(std::move(one));
    if (const auto wrong = entry.error()) return *wrong;
  }
  for (TomlTable& entry : file.tables_if_given("allow")) {
    Allow one = read_allow(entry, project.stacks);
    one.line = line_in(part, "allow", project.allows.size(), "rule");
    one.file = path;
    project.allows.push_back(std::move(one));
    if (const auto wrong = entry.error()) return *wrong;
  }
  if (const auto wrong = file.error()) return *wrong;
  return project;
}

Case case_of(const ProjectStack& one) {
  const ProjectRun& run = one.run;
  Case c = usual_case(one.stack, run.model.empty() ? model_of(one.stack, Case{}.model) : run.model, Case{}.engine);
  for (std::size_t i = 0; i < kOwnFunctions<ProjectRun>.size(); ++i)
    c.*kOwnFunctions<Case>[i].member = run.*kOwnFunctions<ProjectRun>[i].member;
  c.widen = run.widen;
  c.settings.arithmetic = run.arithmetic.value_or(c.settings.arithmetic);
  c.settings.steps = run.steps.value_or(usual_steps(c));
  return c;
}

}  // namespace ordercheck
