// ordercheck scan PATH: in which order does this training code apply its transforms?
#include "importer/code/scan.h"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/shared/format_option.h"

namespace ordercheck::cli {
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
  command->add_option("path", options->path, "A .py file, or a folder of them; nothing of it is imported or run")->required();
  add_format_option(*command, options->format);
  show_examples(*command, {"scan docs/guide/scanned/train.py"});
  command->callback([options, &exit_code] { exit_code = ended("scan", run_scan(*options)); });
}

}  // namespace ordercheck::cli
