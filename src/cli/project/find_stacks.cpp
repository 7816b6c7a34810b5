#include "cli/project/find_stacks.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/displayable.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/project/check_code.h"
#include "cli/shared/question.h"
#include "import/code/scan.h"
#include "matrix/knowledge.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

// Folders that the reader of code leaves out too (import/code/reader/source.py).
constexpr std::array kSkippedFolders{"__pycache__", "node_modules", "build", "site-packages"};
constexpr std::array kEndings{".yaml", ".yml", ".json", ".toml", ".sh", ".bash", ".slurm", ".sbatch"};

// Paths of files that may be configurations, relative to the current folder and sorted.
std::vector<std::string> possible_configurations() {
  std::vector<std::string> paths;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(".", fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (name.starts_with('.') || contains(kSkippedFolders, name))
      at.disable_recursion_pending();
    else if (contains(kEndings, at->path().extension().string()) && at->is_regular_file(ignored))
      paths.push_back(at->path().lexically_normal().string());
  }
  std::ranges::sort(paths);
  return paths;
}

// Whether pages or runs name the project, so that a stack can be checked for it.
bool is_target(const std::string& project) {
  const auto engines = known_engines("");
  if (!engines) return false;
  const auto asked = asked_target(project, "", *engines);
  if (!asked) return false;
  const auto knowledge = load_knowledge("", *asked);
  return knowledge && settle(*asked, *knowledge);
}

std::string open_settings(std::int64_t count, const std::string& file) {
  return fmt::format("{} not understood: `ordercheck check {}` names {}",
                     counted(count, "call or setting was", "calls or settings were"), file, count == 1 ? "it" : "them");
}

// Why `check` of the file fails whatever the verdict of its stack is: what the project rejects.
std::vector<std::string> doubts_about(const Imported& imported) {
  std::vector<std::string> doubts;
  for (const NotUnderstood& note : imported.not_understood)
    if (note.kind == NoteKind::refused) doubts.push_back(fmt::format("refused: {}: {}", note.text, note.why));
  return doubts;
}

// "2 calls or settings were not understood: ..." as a list of one; empty if all were.
std::vector<std::string> open_places_of(const Imported& imported, const std::string& file) {
  const auto open = std::ranges::count(imported.not_understood, NoteKind::open, &NotUnderstood::kind);
  return open > 0 ? std::vector{open_settings(open, file)} : std::vector<std::string>{};
}

// Whether the comment can allow a finding of the stack: findings are at a call or at the function.
bool is_about(const Directive& comment, const ScannedStack& one) {
  const auto covers = [&](const Origin& where) { return where.file == comment.where.file && where.line == comment.covers; };
  return covers(one.function) || std::ranges::any_of(one.imported.stack.items, covers, &Item::origin);
}

// For code, also calls that were not understood, which leave `check` undecided, options that the stack leaves out, and comments,
// which a project file does not read.
std::vector<std::string> doubts_about(const ScannedStack& one, const std::vector<Directive>& comments,
                                      const std::string& file) {
  std::vector<std::string> doubts = doubts_about(one.imported);
  for (std::string& open : open_places_of(one.imported, file)) doubts.push_back(std::move(open));
  std::vector<std::string> unknown;
  for (std::size_t at = 0; at < one.calls.size(); ++at)
    for (const auto& [option, state] : one.calls[at].open_options)
      unknown.push_back(fmt::format("{} of {}", option, one.imported.stack.items[at].name));
  if (!unknown.empty()) doubts.push_back(fmt::format("add what the code does not show: {}", join(unknown, ", ")));
  for (const Directive& comment : comments)
    if (is_about(comment, one))
      doubts.push_back(fmt::format("{}:{}: a comment allows findings, which [[stack]] does not read: write an [[allow]]",
                                   fs::path(comment.where.file).lexically_normal().string(), comment.where.line));
  return doubts;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Collects stacks. A stack that was found before gets only another comment.
class Finder {
 public:
  void add(const std::string& name, const std::string& file, FoundStack one) {
    if (!one.doubts.empty() && !contains(found_.doubted, file)) found_.doubted.push_back(file);
    const auto is_same = [&](const FoundStack& other) {
      return other.entry.stack == one.entry.stack && other.entry.target == one.entry.target &&
             other.entry.job == one.entry.job && other.doubts.empty() == one.doubts.empty();
    };
    if (const auto same = std::ranges::find_if(found_.stacks, is_same); same != found_.stacks.end()) {
      append(same->comments, one.comments);
      append(same->doubts, one.doubts);
      return;
    }
    // Names are compared as they are written: two files may have names that display alike.
    const std::string shown = one_line(displayable(name));
    one.entry.name = is_taken(shown)
                         ? fmt::format("{} ({}, stack {})", shown, one_line(displayable(file)), found_.stacks.size() + 1)
                         : shown;
    found_.stacks.push_back(std::move(one));
  }

  void add_configuration(const std::string& file, const Imported& imported) {
    ++found_.files;
    if (imported.stack.items.empty() || is_lone_number(imported.stack)) return;
    ProjectStack entry{.name = {}, .stack = imported.stack, .target = {}, .run = {}, .job = with_stated(Job({}, {}), imported)};
    if (const std::string& project = imported.project; !project.empty()) {
      const auto [known, is_new] = targets_.try_emplace(project, false);
      if (is_new) known->second = is_target(project);
      if (known->second) entry.target = project;
    }
    std::vector<std::string> comments{fmt::format("{}, read as {}", file, imported.format)};
    append(comments, open_places_of(imported, file));
    add(file, file, {.entry = std::move(entry), .comments = std::move(comments), .doubts = doubts_about(imported)});
  }

  void add_code(const ScannedStack& one, const std::vector<Directive>& comments) {
    if (is_lone_number(one.imported.stack)) return;
    const std::string file = fs::path(one.function.file).lexically_normal().string();
    add(one.imported.part, file,
        {.entry = {.name = {}, .stack = one.imported.stack, .target = {}, .run = {}, .job = Job({}, {})},
         .comments = {fmt::format("{}:{}: {}", file, one.function.line, one.imported.part)},
         .doubts = doubts_about(one, comments, file)});
  }

  void add_counts(const ScannedCode& code) {
    found_.files += static_cast<std::size_t>(code.files);
    const auto open = std::ranges::count(code.not_understood, NoteKind::open, &NotUnderstood::kind);
    found_.open = code.unread.size() + static_cast<std::size_t>(open);
  }

  FoundStacks found() && { return std::move(found_); }

 private:
  bool is_taken(const std::string& name) const {
    return std::ranges::any_of(found_.stacks, [&](const FoundStack& one) { return one.entry.name == name; });
  }

  FoundStacks found_;
  std::map<std::string, bool> targets_;
};

}  // namespace

Result<FoundStacks> find_stacks() {
  Finder finder;
  for (const std::string& path : possible_configurations())
    if (const auto imported = import_file(path)) finder.add_configuration(path, *imported);
  const auto code = scan_code(".");
  if (!code) return code.error();
  finder.add_counts(*code);
  for (const ScannedStack& one : code->stacks) finder.add_code(one, code->directives);
  return std::move(finder).found();
}

}  // namespace ordercheck::cli
