// The fake engine for tests of the supervisor, and small makers of runs.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "matrix/pool.h"

namespace ordercheck {

using CaseRun = Run;  // testing::Test has a member of that name

inline EngineSpec fake_engine(const std::vector<std::string>& arguments = {}) {
  // Under a sanitizer a crash stays a crash: its own report would end the process with an exit code instead.
  const std::string plain = "handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0";
  EngineSpec spec{.name = "fake",
                  .command = {ORDERCHECK_BINARY_DIR "/bin/fake_worker"},
                  .environment = {"ASAN_OPTIONS=" + plain, "TSAN_OPTIONS=" + plain}};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  return spec;
}

// Of those that come with ordercheck.
inline EngineFile built_in(const std::string& name) { return *find_engine(load_engine_files("").value(), name); }

inline CaseRun run_of(const std::string& case_text, const std::string& fault_kind = "", int rank = 1,
                      const std::string& module = "layers.0.attention") {
  CaseRun run{.id = 0,
              .subject = parse_case(case_text).value(),
              .keep = Keep::hashes,
              .fault = std::nullopt,
              .flight_file = "",
              .values_folder = ""};
  if (!fault_kind.empty())
    run.fault = Fault{.kind = fault_kind, .rank = rank, .module = module, .phase = Phase::forward, .sequence = 0};
  return run;
}

// A folder that goes with the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ordercheck-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Records in the order of the runs.
inline std::vector<Record> run_all(Pool& pool, const std::vector<CaseRun>& runs) {
  std::vector<Record> records(runs.size());
  EXPECT_TRUE(pool.run(runs, [&](std::size_t index, const Record& record) { records[index] = record; }));
  return records;
}

}  // namespace ordercheck
