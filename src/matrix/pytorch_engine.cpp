#include "matrix/pytorch_engine.h"

#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "matrix/engine_spec.h"
#include "matrix/finished_program.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackage = "ordercheck_pytorch";
constexpr const char* kExpected = "expected a Python >= 3.10 with torch >= 2.6";
constexpr const char* kCure = "name another with --python or in ORDERCHECK_PYTHON";
// An interpreter starts in milliseconds, but takes seconds on a fully loaded machine.
constexpr std::chrono::seconds kAnswerLimit{60};

// Prints two lines, "python 3.11.2" and "torch 2.11.0+cpu"; omits the second without torch.
constexpr const char* kQuestion = R"(
import importlib.util, os, re, sys
print("python %d.%d.%d" % sys.version_info[:3])
spec = importlib.util.find_spec("torch")
path = os.path.join(os.path.dirname(spec.origin), "version.py") if spec and spec.origin else ""
if os.path.exists(path):
    with open(path) as file:
        found = re.search(r"^__version__ = ['\"]([^'\"]+)['\"]", file.read(), re.M)
    if found:
        print("torch %s" % found.group(1))
)";

bool holds_package(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kPackage / "__main__.py", ignored);
}

// Whether a version such as "3.11.2" or "2.11.0+cpu" is at least major.minor.
bool at_least(const std::string& version, long long major, long long minor) {
  const auto parts = split(version, '.');
  const auto first = parse_integer(parts[0]), second = parts.size() > 1 ? parse_integer(parts[1]) : std::nullopt;
  if (!first || !second) return false;
  return *first > major || (*first == major && *second >= minor);
}

// The text after `name` on the line that starts with it; "" if there is no such line.
std::string value_after(const std::string& output, std::string_view name) {
  for (const std::string& line : split(output, '\n'))
    if (line.starts_with(name)) return one_line(trim(std::string_view(line).substr(name.size())));
  return "";
}

// The version of torch in the interpreter.
Result<std::string> torch_in(const std::string& python, const std::vector<std::string>& environment) {
  const auto wrong = [&](const std::string& what, const std::string& cure = kCure) {
    return Error{fmt::format("pytorch engine: python {}: {}, {}; {}", python, kExpected, what, cure)};
  };
  const auto answer = run_to_end({python, "-c", kQuestion}, environment, "", kAnswerLimit);
  if (!answer) return wrong("but " + answer.error().message);
  const std::string version = value_after(answer->output, "python ");
  if (answer->end.signal != 0 || answer->end.exit_code != 0 || version.empty()) {
    const std::string last = answer->last_error.empty() ? "" : ": " + answer->last_error;
    return wrong(fmt::format("got a program that does not answer as one: it {}{}", describe(answer->end), last));
  }
  if (!at_least(version, 3, 10)) return wrong("got Python " + version);
  const std::string torch = value_after(answer->output, "torch ");
  if (torch.empty()) return wrong("got no torch", fmt::format("install it there, or {}", kCure));
  if (!at_least(torch, 2, 6)) return wrong("got torch " + torch, fmt::format("update it there, or {}", kCure));
  return torch;
}

// The interpreter to use: `written`, else ORDERCHECK_PYTHON.
Result<std::string> find_python(const std::string& written) {
  if (!written.empty()) return written;
  if (const std::string named = environment_of("ORDERCHECK_PYTHON"); !named.empty()) return named;
  return Error{fmt::format("pytorch engine: no interpreter is named: {} in --python or in ORDERCHECK_PYTHON, got neither; {}",
                           kExpected, is_in_checkout() ? "scripts/ordercheck sets one up" : "name one")};
}

}  // namespace

Result<fs::path> find_pytorch_driver() {
  if (const std::string named = environment_of("ORDERCHECK_DRIVER"); !named.empty()) {
    if (holds_package(named)) return fs::absolute(named);
    return Error{
        fmt::format("pytorch engine: ORDERCHECK_DRIVER={}: expected a folder with {}/__main__.py in it; correct "
                    "it, or unset it to take the driver that comes with ordercheck",
                    named, kPackage)};
  }
  const fs::path drivers = fs::path("src") / "drivers" / "pytorch";
  if (const auto home = home_of(drivers / kPackage / "__main__.py")) return *home / drivers;
  return Error{
      fmt::format("pytorch engine: its driver is missing: expected src/drivers/pytorch/{} in a folder above {}; "
                  "name the folder that holds {} in ORDERCHECK_DRIVER",
                  kPackage, own_program().string(), kPackage)};
}

Result<std::string> installed_torch(const std::string& python) { return torch_in(python, {}); }

Result<EngineSpec> in_interpreter(EngineSpec spec, const std::string& project, const std::string& written) {
  const auto python = find_python(written);
  if (!python) return python.error();
  const auto driver = find_pytorch_driver();
  if (!driver) return driver.error();
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed) return Error{"pytorch engine: cannot tell which folder this is: " + failed.message()};
  std::string modules = driver->string() + ":" + here.string();
  if (const std::string before = environment_of("PYTHONPATH"); !before.empty()) modules += ":" + before;
  spec.command = {*python, "-m", kPackage};
  if (!project.empty()) spec.command.insert(spec.command.end(), {"--project", project});
  spec.environment.push_back("PYTHONPATH=" + modules);
  const auto torch = torch_in(*python, spec.environment);
  if (!torch) return torch.error();
  spec.build = "torch " + *torch;
  return spec;
}

}  // namespace ordercheck
