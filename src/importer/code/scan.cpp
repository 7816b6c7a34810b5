#include "importer/code/scan.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/finished_program.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = "python3";

// The modules of the reader, each behind those that it imports.
const std::vector<std::pair<const char*, const char*>>& reader_modules() {
  static const std::vector<std::pair<const char*, const char*>> modules{
#include "importer/code_texts.inc"
  };
  return modules;
}

// Makes modules of the texts on stdin, so that nothing is written to a disk. -I and -S: of the folder that it is called in, of the
// environment and of installed packages it imports nothing.
constexpr const char* kStart = R"(import json, sys, types
if sys.version_info < (3, 9):
    print(json.dumps({"error": "python3 is Python %d.%d; 3.9 or newer reads code" % sys.version_info[:2]}))
    sys.exit(0)
for name, text in json.load(sys.stdin):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), module.__dict__)
sys.modules["main"].main()
)";

std::string reader_text() {
  nlohmann::json modules = nlohmann::json::array();
  for (const auto& [name, text] : reader_modules()) modules.push_back({name, text});
  return modules.dump();
}

Status check_path(const std::string& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (failed || !fs::exists(status)) return Error{fmt::format("{}: there is no such file or folder", path)};
  if (fs::is_directory(status)) return Done{};
  if (!fs::is_regular_file(status)) return Error{fmt::format("{}: is neither a file nor a folder", path)};
  if (fs::path(path).extension() != ".py") return Error{fmt::format("{}: a .py file or a folder is expected", path)};
  return Done{};
}

}  // namespace

Result<ScannedCode> scan_code(const std::string& path, std::chrono::milliseconds limit) {
  if (const Status valid = check_path(path); !valid) return valid.error();
  auto finished = run_to_end({kPython, "-I", "-S", "-c", kStart, path}, {}, reader_text(), limit);
  if (!finished)
    return Error{fmt::format("{}: {}; Python 3.9 or newer reads code, and a part of a folder takes less time", path,
                             finished.error().message)};
  if (finished->end.signal != 0 || finished->end.exit_code != 0)
    return Error{fmt::format("{}: the reader of code {}: {}", path, describe(finished->end), finished->last_error)};
  auto code = parse_scan_answer(finished->output);
  if (!code) return Error{fmt::format("{}: {}", path, code.error().message)};
  return code;
}

}  // namespace ordercheck
