#include "cli/shared/format_option.h"

namespace ordercheck::cli {

void add_format_option(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
  add_json_flag(command, format);
}

void add_json_flag(CLI::App& command, std::string& format) {
  command.add_flag_callback("--json", [&format] { format = "json"; }, "The same as --format json")->excludes("--format");
}

}  // namespace ordercheck::cli
