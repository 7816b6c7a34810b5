// A stack as the command line has it: in its notation, or as a file of another project that states it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "importer/import.h"
#include "rule/job.h"
#include "stack/stack.h"

namespace ordercheck::cli {

struct WrittenStack {
  Stack stack;
  std::optional<Imported> imported;  // where a file states it
};

// What the notation can read is meant as it, whatever files there are. `as`: the format of a file, "" where its keys say.
Result<WrittenStack> stack_written(const std::string& word, const std::string& as = "");

// Whether a file or folder is meant: one is there, or the word ends like a configuration.
bool names_file(const std::string& word);

// What a configuration states. Files that it names are read where they are beside it, or where its path leads from here. An error for
// training code, which `scan` and `check` read.
Result<Imported> import_file(const std::string& path, const ImportOptions& options = {});

// The job with the ranks and sizes that the file states where the command line gave none.
Job with_stated(Job job, const Imported& imported);

}  // namespace ordercheck::cli
