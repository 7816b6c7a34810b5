#include "cli/shared/written_stack.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;

bool is_code(const fs::path& path) {
  std::error_code failed;
  return path.extension() == ".py" || fs::is_directory(path, failed);
}

// A file alone: a pipe or a device might never end.
Result<std::string> read_whole(const fs::path& path, const std::string& name) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return Error{fmt::format("there is no file {}", one_line(name))};
  if (fs::file_size(path, failed) > kLargestImport)
    return Error{fmt::format("{}: larger than {} bytes; expected a configuration", one_line(name), kLargestImport)};
  return read_file(path);
}

ReadBeside beside(const std::string& path) {
  return [folder = fs::path(path).parent_path()](const std::string& name) {
    const fs::path named(name);
    std::error_code failed;
    const bool is_there = named.is_relative() && fs::is_regular_file(folder / named, failed);
    return read_whole(is_there ? folder / named : named, name);
  };
}

}  // namespace

bool names_file(const std::string& word) {
  std::error_code failed;
  // A file that is missing is named as one: no transform ends like this.
  for (const char* ending : {".yaml", ".yml", ".json", ".toml", ".sh"})
    if (word.ends_with(ending)) return true;
  return !word.empty() && word.find('\0') == std::string::npos && fs::exists(word, failed);
}

Result<Imported> import_file(const std::string& path, const ImportOptions& options) {
  if (is_code(path))
    return Error{fmt::format("{}: training code; ordercheck scan prints its order, and ordercheck check judges it", path)};
  const auto text = read_whole(path, path);
  if (!text) return text.error();
  return import_text(*text, path, beside(path), options);
}

Result<WrittenStack> stack_written(const std::string& word, const std::string& as) {
  auto stack = parse_stack(word);
  if (stack) return WrittenStack{.stack = std::move(stack).value(), .imported = {}};
  if (!names_file(word)) return stack.error();
  auto imported = import_file(word, {.format = as, .overrides = {}});
  if (!imported) return imported.error();
  return WrittenStack{.stack = imported->stack, .imported = std::move(imported).value()};
}

Job with_stated(Job job, const Imported& imported) {
  if (!job.ranks) job.ranks = imported.ranks;
  for (const auto& [name, size] : imported.sizes)
    if (range_of_size(name).holds(size)) job.sizes.emplace(name, size);
  return job;
}

}  // namespace ordercheck::cli
