// ordercheck check [STACK]: checks whether a stack is legal and why not. Without a stack, checks those of .ordercheck.toml.
#include "rules/check.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/project/check_code.h"
#include "cli/project/open_options.h"
#include "cli/project/project.h"
#include "cli/settings/project_report.h"
#include "cli/shared/format_option.h"
#include "cli/shared/import_view.h"
#include "cli/shared/question.h"
#include "rules/render.h"

namespace ordercheck::cli {
namespace {

// What the notes of an imported file say beside the findings: errors, and what of a recording was not understood.
std::vector<OpenPlace> places_of(const Imported& imported) {
  std::vector<OpenPlace> places;
  for (const NotUnderstood& one : imported.not_understood) {
    const bool is_error = one.kind == NoteKind::refused || one.kind == NoteKind::ineffective;
    const std::string text = fmt::format("{}: {}", one.text, one.why);
    if (is_error || (one.kind == NoteKind::open && is_recorded(imported)))
      places.push_back({.where = one.where, .text = is_error ? text : "not understood: " + text, .is_error = is_error});
  }
  return places;
}

Result<int> run_check(const CheckOptions& options) {
  const std::string& format = options.question.format;
  if (options.question.words.empty()) return check_project(options);
  if (is_code(options.question)) return check_code(options);
  if (options.question.words.size() == 1 && trim(options.question.words.front()).empty())
    return Error{"the stack is empty (an unset variable?); name a transform, or write 'model' for the model as it is"};
  const auto asked = read_question(options.question);
  if (!asked) return asked.error();
  const Knowledge& known = asked->knowledge;
  const auto selection = RuleSelection::parse(options.select, options.ignore, known.rules);
  if (!selection) return selection.error();
  const Judge judge(known.rules, asked->settled.target, known.observations, asked->job, *selection);
  Report report = check_with_open_options(asked->stack, {}, judge);
  report.target_assumed = asked->settled.assumed;
  report.newest_run = asked->settled.newest_run;
  const std::string refused = asked->imported ? refusals_of(*asked->imported) : "";
  int code = refused.empty() ? exit_code_of(report, options.strict) : kDecidedAgainst;
  if (code == kNothingAgainst && asked->imported && leaves_open(*asked->imported)) code = kUndecided;
  if (options.statistics || (format != "text" && format != "json")) {
    const std::string file = asked->imported ? options.question.words.front() : "";
    ProjectReport in_file =
        judged_in_file(std::move(report), file, asked->imported ? places_of(*asked->imported) : std::vector<OpenPlace>{});
    fmt::print("{}", render(in_file, options, known.rules));
    return code;
  }
  if (asked->imported && format == "json") {
    fmt::print("{}", with_imported(render_json(report), *asked->imported));
    return code;
  }
  if (format == "text") fmt::print("{}", refused);
  const Detail detail = options.quiet ? Detail::line : options.verbose ? Detail::all : Detail::screen;
  // Do not print that a stack is legal if the project itself rejects the configuration.
  if (format == "json" || refused.empty() || !report.findings.empty())
    fmt::print("{}", format == "json" ? render_json(report) : render_text(report, wants_colour(), detail));
  if (asked->imported && !options.quiet) {
    Imported below = *asked->imported;
    std::erase_if(below.not_understood, [](const NotUnderstood& one) { return one.kind == NoteKind::ineffective; });  // above
    fmt::print("{}", render_import_below(below));
  }
  return code;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Check whether a stack is legal, and say why not")->group(kAsk);
  add_question(*command, "stack",
               "The stack, quoted: pp=2,tp=2,ac,compile,fsdp=2; or a file that `import` reads; or training code, a .py file or "
               "folder; default: the stacks of .ordercheck.toml, here or in a folder above",
               options->question);
  command->get_option("stack")->required(false);
  command->remove_option(command->get_option("--json"));
  command->remove_option(command->get_option("--format"));
  command
      ->add_option("--format", options->question.format, "text, concise (one line per finding), json, sarif, junit or github")
      ->check(CLI::IsMember(project_formats()))
      ->capture_default_str();
  add_json_flag(*command, options->question.format);
  command->add_option("--today", options->today, "Today's date, YYYY-MM-DD, for expiry of entries in .ordercheck.toml");
  command->add_option("--fix", options->fix, "Write the repaired stacks into this .ordercheck.toml, then check it")
      ->excludes("stack");
  command->add_option("--select", options->select, "Ask only these rules: ids or prefixes of ids, such as ORD,CLA-017")
      ->allow_extra_args(false);
  command->add_option("--ignore", options->ignore, "Do not ask these rules; the longer prefix decides")
      ->allow_extra_args(false);
  command->add_flag("--strict", options->strict, "Exit 1 on advice too");
  CLI::Option* quiet = command->add_flag("--quiet,-q", options->quiet, "One line per stack");
  CLI::Option* verbose = command->add_flag("--verbose", options->verbose, "Print every finding in full")->excludes(quiet);
  command->add_flag("--statistics", options->statistics, "Print counts per rule instead of findings")
      ->excludes(quiet, verbose, command->get_option("--format"), command->get_option("--json"));
  show_examples(*command, {"check pp=2,tp=2,ac,compile,fsdp=2", "check fsdp=2,tp=3 --set heads=32 --for pytorch-2.11"});
  command->callback([options, &exit_code] { exit_code = ended("check", run_check(*options)); });
}

}  // namespace ordercheck::cli
