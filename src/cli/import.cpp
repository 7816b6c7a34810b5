// ordercheck import FILE...: prints the stack in another project's configuration.
#include "import/import.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/shared/format_option.h"
#include "cli/shared/import_view.h"
#include "cli/shared/question.h"
#include "import/code/scan.h"

namespace ordercheck::cli {
namespace {

struct ImportCommand {
  std::vector<std::string> files;
  std::string as;
  std::string format = "text";
};

Result<int> run_import(const ImportCommand& command, const std::vector<std::string>& overrides) {
  std::vector<Imported> all;
  std::string text;
  for (const std::string& file : command.files) {
    const auto imported = import_file(file, {.format = command.as, .overrides = overrides});
    if (!imported) return imported.error();
    text += (text.empty() ? "" : "\n") + render_import_text(*imported);
    all.push_back(*imported);
  }
  fmt::print("{}", command.format == "json" ? render_import_json(all) : text);
  return kNothingAgainst;
}

}  // namespace

void add_import(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ImportCommand>();
  CLI::App* command =
      app.add_subcommand("import", "Print the stack that a configuration of another project describes")->group(kAsk);
  command
      ->add_option(
          "file", options->files,
          "A configuration: " + join(import_formats(), ", ") + ". After one of torchtitan: options of its command line")
      ->required();
  add_as_option(*command, options->as);
  add_format_option(*command, options->format);
  command->allow_extras();
  show_examples(*command, {"import train.yaml", "import llama3_8b.toml --parallelism.tensor_parallel_degree=2"});
  command->callback(
      [command, options, &exit_code] { exit_code = ended("import", run_import(*options, command->remaining())); });
}

// ordercheck scan PATH: prints the order in which training code applies its transforms.
namespace {

struct ScanCommand {
  std::string path;
  std::string format = "text";
};

Result<int> run_scan(const ScanCommand& command) {
  const auto code = scan_code(command.path);
  if (!code) return code.error();
  fmt::print("{}", command.format == "json" ? render_scan_json(*code) : render_scan_text(*code));
  return code->stacks.empty() || !code->unread.empty() ? kUndecided : kNothingAgainst;
}

}  // namespace

void add_scan(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ScanCommand>();
  CLI::App* command = app.add_subcommand("scan", "Print the order in which training code applies its transforms")->group(kAsk);
  command->add_option("path", options->path, "A .py file or a folder; it is parsed, not imported or run")->required();
  add_format_option(*command, options->format);
  show_examples(*command, {"scan docs/guide/scanned/train.py"});
  command->callback([options, &exit_code] { exit_code = ended("scan", run_scan(*options)); });
}

}  // namespace ordercheck::cli
