// Classes of errors that users of parallelism reported, by which a table of mutants says what it covers: matrix/error_classes.toml.
//
//   [[class]]
//   id = "M7"
//   what = "two adjacent transforms are swapped"
//   shown_by = "an order is no mutant: ..."   # what shows it where no mutant can; may be left out
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ordercheck {

struct ErrorClass {
  std::string id;
  std::string what;
  std::string shown_by;  // "" where a mutant could
  friend bool operator==(const ErrorClass&, const ErrorClass&) = default;
};

// In the order of the file, each id once. `path` names the file in errors.
Result<std::vector<ErrorClass>> parse_error_classes(std::string_view text, const std::string& path);
Result<std::vector<ErrorClass>> load_error_classes(const std::filesystem::path& path);

}  // namespace ordercheck
