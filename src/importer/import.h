// Configurations of other projects as stacks: which format a text is, and what it says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "importer/formats.h"
#include "importer/imported.h"

namespace ordercheck {

struct ImportOptions {
  std::string format;                  // of import_formats(); "" to find it by what the text holds
  std::vector<std::string> overrides;  // "--parallelism.tensor_parallel_degree=2", as torchtitan's command line has them
};

// What --as may be: accelerate, axolotl, ...
std::vector<std::string> import_formats();

// Any bytes; `file` is how errors and origins name it. Errors are one line that begins with "<file>:<line>: ".
Result<Imported> import_text(std::string_view text, const std::string& file, const ReadBeside& read,
                             const ImportOptions& options = {});

}  // namespace ordercheck
