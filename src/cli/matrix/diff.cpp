// ordercheck matrix diff: prints the changes between two evidence tables on one screen.
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "base/wording.h"
#include "cli/command.h"
#include "cli/matrix/matrix.h"
#include "cli/shared/format_option.h"
#include "matrix/finished_program.h"
#include "record/evidence_diff.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShown = 6;   // cases per group, so that all groups fit one screen; --verbose shows the rest
constexpr std::size_t kWide = 100;  // characters of one side's result

struct DiffCommand {
  std::string before, after;
};

// "torch-2.11.0" matches the build torch-2.11.0-cpu, and torch-2.11.0-cuda if that is the only one; "torch-2.1" matches
// neither.
bool names_build(const std::string& name, const std::string& build) {
  return build == name || (build.starts_with(name) && build[name.size()] == '-');
}

std::string build_in_path(const std::string& path) { return fs::path(path).stem().string(); }

// The path in `paths` of the only build that `name` matches; an error lists the known builds.
Result<std::string> find_build(const std::string& name, const std::vector<std::string>& paths, const std::string& where) {
  std::vector<std::string> found, exact, known;
  for (const std::string& path : paths) {
    known.push_back(build_in_path(path));
    if (names_build(name, known.back())) found.push_back(path);
    if (known.back() == name || known.back() == name + "-cpu") exact.push_back(path);
  }
  if (exact.size() == 1) return exact.front();
  if (found.size() == 1) return found.front();
  if (found.empty())
    return Error{fmt::format("'{}' is no table file and no build in {}; {}", name, where,
                             known.empty() ? "there is none" : did_you_mean(name, known))};
  return Error{
      fmt::format("'{}' names {} builds in {}: {}; name one of them whole", name, found.size(), where, join(found, ", "))};
}

Result<std::string> git(const fs::path& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"git", "-C", folder.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  auto done = run_to_end(command, {}, "", std::chrono::seconds(30));
  if (!done) return done.error();
  if (done->end.signal != 0 || done->end.exit_code != 0)
    return Error{fmt::format("git {} in {}: {}", arguments.front(), folder.string(), done->last_error)};
  return std::move(done->output);
}

// Accepts "HEAD~1:torch-2.11.0", in the repository that contains the evidence folder.
Result<EvidenceTable> table_of_commit(const std::string& written, std::size_t colon, const fs::path& evidence) {
  const std::string revision = written.substr(0, colon), name = written.substr(colon + 1);
  // git would take a leading '-' as an option.
  if (revision.empty() || revision.starts_with('-') || name.empty())
    return Error{fmt::format("'{}': expected REV:build, as in HEAD~1:torch-2.11.0", written)};
  const auto listed = git(evidence, {"ls-tree", "-r", "--name-only", revision, "."});
  if (!listed) return listed.error();
  std::vector<std::string> paths;
  for (const std::string& path : split(*listed, '\n'))
    if (path.ends_with(".tsv")) paths.push_back(path);
  const auto path = find_build(name, paths, fmt::format("{} of {}", evidence.string(), revision));
  if (!path) return path.error();
  const auto text = git(evidence, {"show", fmt::format("{}:./{}", revision, *path)});
  if (!text) return text.error();
  return parse_evidence(*text, fmt::format("{}:{}", revision, *path));
}

Result<EvidenceTable> table_named(const std::string& written, const MatrixCommand& command) {
  std::error_code failed;
  if (fs::is_regular_file(written, failed)) {
    const auto text = read_file(written);
    if (!text) return text.error();
    return parse_evidence(*text, written);
  }
  const auto folder = matrix_folder(command);
  if (!folder) return folder.error();
  const fs::path evidence = *folder / "evidence";
  if (const auto colon = written.rfind(':'); colon != std::string::npos) return table_of_commit(written, colon, evidence);
  std::vector<std::string> paths;
  const auto heads = read_evidence_heads(evidence);
  if (!heads) return heads.error();
  for (const EvidenceTable& head : *heads) paths.push_back(evidence_path(evidence, head).string());
  const auto path = find_build(written, paths, evidence.string());
  if (!path) return path.error();
  const auto text = read_file(*path);
  if (!text) return text.error();
  return parse_evidence(*text, *path);
}

std::string cut_short(const std::string& text) {
  if (text.size() <= kWide) return text.empty() ? "none" : text;
  std::size_t end = kWide;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  return text.substr(0, end) + " ...";
}

std::string group_text(ChangeKind kind, const std::vector<const Change*>& changes, bool verbose) {
  std::string text = fmt::format("{}: {}\n", name_of(kind), counted(std::ssize(changes), "case"));
  const bool one_side = kind == ChangeKind::only_before || kind == ChangeKind::only_after;
  // Hundreds of cases on one side mean a larger matrix; their number is enough.
  const std::size_t shown = verbose ? changes.size() : std::min(changes.size(), one_side ? kShown / 2 : kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Change& one = *changes[i];
    if (one_side)
      text += fmt::format("  {}: {}\n", one.case_text, cut_short(one.before + one.after));
    else
      text += fmt::format("  {}\n    - {}\n    + {}\n", one.case_text, cut_short(one.before), cut_short(one.after));
  }
  if (shown < changes.size()) text += fmt::format("  and {} more; --verbose shows them\n", changes.size() - shown);
  return text;
}

std::string render_diff_text(const DiffCommand& asked, const TableDiff& diff, bool verbose) {
  std::map<ChangeKind, std::vector<const Change*>> groups;
  for (const Change& one : diff.changes) groups[one.kind].push_back(&one);
  std::size_t changed = 0;
  std::string text;
  for (const auto& [kind, changes] : groups) {
    if (kind != ChangeKind::only_before && kind != ChangeKind::only_after) changed += changes.size();
    text += group_text(kind, changes, verbose);
  }
  return fmt::format("{} to {}: {} in both, {} changed\n", asked.before, asked.after,
                     counted(static_cast<std::int64_t>(diff.in_both), "case"), changed) +
         text;
}

std::string render_diff_json(const DiffCommand& asked, const TableDiff& diff) {
  nlohmann::ordered_json changes = nlohmann::ordered_json::array();
  for (const Change& one : diff.changes)
    changes.push_back({{"kind", name_of(one.kind)}, {"case", one.case_text}, {"before", one.before}, {"after", one.after}});
  const nlohmann::ordered_json object = {{"schema", "ordercheck/matrix-diff/1"},
                                         {"before", asked.before},
                                         {"after", asked.after},
                                         {"in_both", diff.in_both},
                                         {"changes", changes}};
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Exits with 1 only if a verdict got worse; other changes are informational.
Result<int> run_diff(const MatrixCommand& command, const DiffCommand& asked) {
  const auto before = table_named(asked.before, command);
  if (!before) return before.error();
  const auto after = table_named(asked.after, command);
  if (!after) return after.error();
  const TableDiff diff = diff_of(*before, *after);
  fmt::print("{}", command.format == "json" ? render_diff_json(asked, diff) : render_diff_text(asked, diff, command.verbose));
  const bool worse = !diff.changes.empty() && diff.changes.front().kind == ChangeKind::worse;
  return worse ? kDecidedAgainst : kNothingAgainst;
}

}  // namespace

void add_matrix_diff(CLI::App& matrix, const std::shared_ptr<MatrixCommand>& options, int& exit_code) {
  auto asked = std::make_shared<DiffCommand>();
  CLI::App* diff =
      matrix.add_subcommand("diff", "Print what changed between two versions or commits; exit 1 if a verdict got worse");
  add_folders(diff, *options);
  diff->add_option("BEFORE", asked->before,
                   "A table file, a build (torch-2.11.0), or a build of a commit (HEAD~1:torch-2.11.0)")
      ->required();
  diff->add_option("AFTER", asked->after, "As BEFORE")->required();
  diff->add_flag("--verbose", options->verbose, "List every case of every group");
  add_format_option(*diff, options->format);
  show_examples(*diff, {"matrix diff torch-2.11.0 torch-2.15.0"});
  diff->callback([options, asked, &exit_code] { exit_code = ended("matrix", run_diff(*options, *asked)); });
}

}  // namespace ordercheck::cli
