// Detects the format of another project's configuration and imports it as stacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "import/formats.h"
#include "import/imported.h"

namespace ordercheck {

struct ImportOptions {
  std::string format;                  // one of import_formats(); "" to detect it from the content
  std::vector<std::string> overrides;  // "--parallelism.tensor_parallel_degree=2", as on torchtitan's command line
};

// The values of --as: accelerate, axolotl, ...
std::vector<std::string> import_formats();

// Accepts any bytes. `file` is the name in errors and origins. Errors are one line, "<file>:<line>: ...".
Result<Imported> import_text(std::string_view text, const std::string& file, const ReadBeside& read,
                             const ImportOptions& options = {});

}  // namespace ordercheck
