// ordercheck docs --write|--check|--print: generates the pages from rules and evidence.
#include "report/pages/docs.h"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/wording.h"
#include "cli/command.h"
#include "matrix/knowledge.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

struct DocsOptions {
  std::string root;
  bool write = false;
  bool check = false;
  bool print = false;
};

Result<fs::path> root_of(const DocsOptions& options) {
  if (!options.root.empty()) return fs::path(options.root);
  const auto rules = find_rules_folder("");
  if (!rules) return rules.error();
  // An installation has the sources of the pages, but no pages.
  if (!options.print && !fs::exists(beside(*rules, "docs")))
    return Error{fmt::format("expected a checkout, got {} without the folder docs; name a checkout with --root",
                             beside(*rules, "").parent_path().string())};
  return beside(*rules, "").parent_path();
}

int print_documents(const std::vector<Document>& documents) {
  for (const Document& document : documents) fmt::print("==> {} <==\n{}", document.path, document.contents);
  return kNothingAgainst;
}

Result<int> check_documents(const fs::path& root, const std::vector<Document>& documents) {
  const auto stale = stale_documents(root, documents);
  if (!stale) return stale.error();
  const auto gaps = gaps_in_orders(root);
  if (!gaps) return gaps.error();
  for (const Stale& one : *stale) fmt::print("{}", one.diff);
  for (const std::string& gap : *gaps) fmt::print("{}\n", gap);
  const auto old = stale_tables(Folders{.rules = root / "rules", .matrix = root / "matrix"});
  if (!old) return old.error();
  for (const StaleTable& one : *old)
    fmt::print(
        "{}: {} of {} were run by other sources of the driver than today's, and no page uses them; "
        "`ordercheck matrix run --engine {} --tier full --write` runs them anew\n",
        fs::relative(one.path, root).string(), one.stale, counted(one.rows, "row"), one.engine);
  if (stale->empty()) {
    fmt::print("{}, all current.\n", counted(documents.size(), "document"));
    return gaps->empty() ? kNothingAgainst : kDecidedAgainst;
  }
  fmt::print("{} of {} {} stale; `ordercheck docs --write` rewrites them.\n", stale->size(),
             counted(documents.size(), "document"), stale->size() == 1 ? "is" : "are");
  return kDecidedAgainst;
}

Result<int> run_docs(const DocsOptions& options) {
  const auto root = root_of(options);
  if (!root) return root.error();
  const auto documents = make_documents(*root);
  if (!documents) return documents.error();
  if (options.print) return print_documents(*documents);
  if (options.check) return check_documents(*root, *documents);
  const auto touched = write_documents(*root, *documents);
  if (!touched) return touched.error();
  for (const std::string& path : *touched) fmt::print("wrote {}\n", path);
  fmt::print("{}, {} written.\n", counted(documents->size(), "document"), touched->size());
  return kNothingAgainst;
}

}  // namespace

void add_docs(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DocsOptions>();
  CLI::App* command = app.add_subcommand("docs", "Generate docs/ from rules and evidence, or check that it is current");
  command->group(kKeep);
  CLI::Option_group* what = command->add_option_group("what");
  what->add_flag("--write", options->write, "Rewrite stale pages");
  what->add_flag("--check", options->check,
                 "Print diffs of stale pages, and recommended orders without an equal run; exit 1 if there are any");
  what->add_flag("--print", options->print, "Print every page");
  what->require_option(1);
  command->add_option("--root", options->root, "The checkout: rules/, matrix/, report_templates/, docs/");
  show_examples(*command, {"docs --check"});
  command->callback([options, &exit_code] { exit_code = ended("docs", run_docs(*options)); });
}

}  // namespace ordercheck::cli
