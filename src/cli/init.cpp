// ordercheck init: writes .ordercheck.toml with the stacks found in the current folder, and a CI job that checks them.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/file.h"
#include "base/text.h"
#include "base/toml.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/project/find_stacks.h"
#include "cli/settings/new_project.h"
#include "cli/settings/project_file.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct EmbeddedWorkflow {
  const char* name;
  const char* text;
};
constexpr EmbeddedWorkflow kWorkflows[] = {
#include "cli/init_texts.inc"
};
constexpr const char* kWorkflowFile = ".github/workflows/ordercheck.yml";

// A dangling symlink exists too.
bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(path, failed));
}

// Whether the file exists; an error if it is a folder.
Result<bool> has_file(const char* path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return Error{fmt::format("{}: expected a file, got a folder; rename it", path)};
  return is_there(path);
}

// The file in the current folder that has stacks already; "" if there is none.
Result<std::string> project_file_here() {
  const auto has_own = has_file(kProjectFile);
  if (!has_own) return has_own.error();
  if (*has_own) return std::string(kProjectFile);
  if (!is_there(kPythonProject)) return std::string();
  const auto text = read_file(kPythonProject);
  if (!text) return text.error();
  toml::table whole;
  if (const auto mistake = parse_toml(*text, whole))
    return Error{fmt::format("{}:{}: {}", kPythonProject, mistake->line, mistake->what)};
  return std::string(has_project_table(*text) ? kPythonProject : "");
}

// The repository that the current folder is a part of; empty if it is the top folder of one, or in none.
fs::path repository_above() {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (is_there(here / ".git")) return {};
  for (fs::path above = here.parent_path(); above.has_relative_path(); above = above.parent_path())
    if (is_there(above / ".git")) return above;
  return {};
}

Status write_project() {
  const auto found = find_stacks();
  if (!found) return found.error();
  const std::string text = render_new_project(found->stacks);
  const auto readable = parse_project(text, kProjectFile);
  if (!readable) return readable.error();
  if (const Status done = create_file(kProjectFile, text); !done) return done.error();
  const std::string files = counted(static_cast<std::int64_t>(found->files), "file");
  const std::size_t active = readable->stacks.size(), doubted = found->stacks.size() - active;
  if (active == 0)
    fmt::print("wrote {}: no stack to check was found in {}; write yours as its example shows\n", kProjectFile, files);
  else
    fmt::print("wrote {}: {} of {}; `ordercheck check` checks them\n", kProjectFile,
               counted(static_cast<std::int64_t>(active), "stack"), files);
  if (doubted > 0)
    fmt::print("{} in comments, which say why; to look at {}:\n",
               counted(static_cast<std::int64_t>(doubted), "stack is", "stacks are"), doubted == 1 ? "it" : "them");
  for (const std::string& file : found->doubted) fmt::print("  ordercheck check {}\n", one_line(displayable(file)));
  if (found->open > 0)
    fmt::print("{} not understood: `ordercheck check .` names {}\n",
               counted(static_cast<std::int64_t>(found->open), "call or file was", "calls or files were"),
               found->open == 1 ? "it" : "them");
  return Done{};
}

Status write_workflow() {
  const fs::path folder = fs::path(kWorkflowFile).parent_path();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error{fmt::format("cannot create the folder {}: {}", folder.string(), failed.message())};
  if (const Status done = create_file(kWorkflowFile, kWorkflows[0].text); !done) return done.error();
  fmt::print("wrote {}: it installs .github/ordercheck-*.whl; commit the wheel there\n", kWorkflowFile);
  return Done{};
}

Result<int> run_init() {
  if (const fs::path top = repository_above(); !top.empty())
    return Error{fmt::format("expected the top folder of a repository, got a folder in {}; run it there", top.string())};
  const auto project = project_file_here();
  if (!project) return project.error();
  const auto has_workflow = has_file(kWorkflowFile);
  if (!has_workflow) return has_workflow.error();
  if (!project->empty() && *has_workflow)
    return Error{
        fmt::format("{} and {} exist and were not changed; to write one anew, remove it first", *project, kWorkflowFile)};
  if (!project->empty())
    fmt::print("kept {}, which exists\n", *project);
  else if (const Status done = write_project(); !done)
    return done.error();
  if (*has_workflow)
    fmt::print("kept {}, which exists\n", kWorkflowFile);
  else if (const Status done = write_workflow(); !done)
    return done.error();
  return kNothingAgainst;
}

}  // namespace

void add_init(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("init", "Write .ordercheck.toml with the stacks found in this folder, and a CI job that checks them")
          ->group(kAsk);
  show_examples(*command, {"init"});
  command->callback([&exit_code] { exit_code = ended("init", run_init()); });
}

}  // namespace ordercheck::cli
