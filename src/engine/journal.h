// The journal: one line a finished run, appended and written out at once, so that a matrix that was cut off goes on
// where it stopped. A line answers one run: a case that is to be run twice needs two lines.
//
// Not thread safe. One journal file is open in one process at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/pool.h"
#include "protocol/messages.h"

namespace ordercheck {

// What makes two runs the same one. The content hash is of the worker's program and of the versions that it runs with (one
// Python driver under two versions of torch is two builds): nothing is resumed across builds.
struct JournalKey {
  std::string case_text;
  std::string engine;
  std::string content_hash;
  Keep keep = Keep::hashes;
  std::optional<Fault> fault;
  bool coarse_factors = false;
};
JournalKey key_of(const Run& run, const Hello& hello);

class Journal {
 public:
  // Reads what is there and opens it for appending; makes the folder and the file where they are missing. A last line
  // without its newline was cut off while it was written: it is dropped, and its run counts as not done. Any other line
  // that is not as it was written is an error naming file and line, and so are a folder that cannot be written and a
  // journal that another process has open.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;

  // The next record of such a run that was not taken yet; null when there is none. Valid as long as the journal is.
  const Record* take(const JournalKey& key);

  // The line has left this process when this returns: it survives whatever becomes of the process. After an error the
  // file ends where it ended before.
  Status append(const JournalKey& key, const Record& record);

  std::size_t lines() const { return lines_; }
  bool dropped_torn_line() const { return dropped_torn_line_; }

 private:
  Journal() = default;
  Status read(const std::string& text);

  std::filesystem::path path_;
  int file_ = -1;
  std::size_t bytes_ = 0;
  std::size_t lines_ = 0;
  bool dropped_torn_line_ = false;
  struct Shelf {
    std::vector<Record> records;
    std::size_t taken = 0;
  };
  std::map<std::string, Shelf> shelves_;  // by the key's text
};

struct Resumed {
  std::size_t from_journal = 0;
  std::size_t run = 0;
  bool complete = true;  // false when the pool was stopped
};

// Delivers the records that the journal has, then runs the rest and journals each before it is delivered. Runs that
// keep values are always run: their files are not in the journal. An error when the journal cannot be written: what
// was delivered until then stands.
Result<Resumed> run_remaining(Pool& pool, Journal& journal, const std::vector<Run>& runs, const Pool::Deliver& deliver);

}  // namespace ordercheck
