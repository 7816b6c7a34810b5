// Stores one line per finished run, written out immediately, so that an interrupted matrix resumes where it stopped. Each line
// answers one run: a case that runs twice needs two lines.
//
// Not thread safe. Only one process may have a journal file open.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/pool.h"
#include "record/messages.h"

namespace ordercheck {

// Identifies a run in the journal. content_hash covers the worker's program and the versions that it runs with: one Python
// driver under two versions of torch is two builds. A record of another build is never reused.
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
  // Reads the file and opens it for appending; creates the folder and the file if missing. Drops an incomplete last line, so
  // its run counts as not done. Returns an error with file and line for any other corrupt line, for a folder that cannot be
  // written, and for a journal that another process has open.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& path);
  ~Journal();
  Journal(const Journal&) = delete;

  // The next record in the file with this key that was not taken yet, or nullptr. Valid for the lifetime of the journal.
  const Record* take(const JournalKey& key);

  // Appends a finished run. The line is written before this returns, so that it survives a crash of this process. An error
  // leaves the file unchanged.
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
  bool complete = true;  // false if the pool was stopped
};

// Delivers the records in the journal, then runs the rest and appends each record before delivering it. Runs that keep values
// always run: the journal does not contain their files. Returns an error if the journal cannot be written; records delivered
// before it stay valid.
Result<Resumed> run_remaining(Pool& pool, Journal& journal, const std::vector<Run>& runs, const Pool::Deliver& deliver);

}  // namespace ordercheck
