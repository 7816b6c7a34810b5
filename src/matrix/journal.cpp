#include "matrix/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/bits.h"
#include "base/file.h"
#include "base/text.h"
#include "matrix/engine_spec.h"
#include "record/record_codec.h"
#include "record/schema.h"

namespace ordercheck {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

// Names are sorted, so equal keys have equal text: {"case":...,"content_hash":...,...}
json json_of(const JournalKey& key) {
  json fault;
  if (key.fault)
    fault = {{"kind", key.fault->kind},
             {"rank", key.fault->rank},
             {"module", key.fault->module},
             {"phase", name_of(key.fault->phase)},
             {"sequence", key.fault->sequence}};
  json object = {{"case", key.case_text},
                 {"engine", key.engine},
                 {"content_hash", key.content_hash},
                 {"keep", name_of(key.keep)},
                 {"fault", fault}};
  if (key.coarse_factors) object["coarse_factors"] = true;
  return object;
}

// The check covers the rest of the line, so it detects any changed byte.
std::string check_of(const json& line_without_check) { return hex(hash_of(to_text(line_without_check))); }

std::string line_of(const JournalKey& key, const Record& record) {
  json line = {{"journal", kVersion}, {"key", json_of(key)}, {"record", json_of(record)}};
  line["check"] = check_of(line);
  return to_text(line) + "\n";
}

struct Entry {
  std::string key;
  Record record;
};

Result<Entry> parse_line(std::string_view text) {
  Result<json> parsed = parse_object(text);
  if (!parsed) return parsed.error();
  json line = std::move(parsed).value();
  const json check = line.contains("check") ? line["check"] : json();
  line.erase("check");
  if (check != check_of(line))
    return Error{"expected the check " + check_of(line) + " of what the line says, got " + excerpt(to_text(check))};
  if (line.value("journal", json()) != kVersion || !line.contains("key") || !line.contains("record"))
    return Error{fmt::format("expected a line of a journal of version {}, got {}", kVersion, excerpt(text))};
  Result<Record> record = record_of(line["record"]);
  if (!record) return record.error();
  return Entry{.key = to_text(line["key"]), .record = std::move(record).value()};
}

}  // namespace

JournalKey key_of(const Run& run, const Hello& hello) {
  return {.case_text = print(run.subject),
          .engine = hello.engine,
          .content_hash = join(hello.versions, ", ") + " " + hello.content_hash,
          .keep = run.keep,
          .fault = run.fault,
          .coarse_factors = run.coarse_factors};
}

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& path) {
  const auto wrong = [&](const std::string& what) { return Error{"journal " + path.string() + ": " + what}; };
  if (Status writable = check_writable(path.has_parent_path() ? path.parent_path() : "."); !writable)
    return wrong(writable.error().message);
  std::unique_ptr<Journal> journal(new Journal);
  journal->path_ = path;
  journal->file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (journal->file_ < 0) return wrong(std::string("cannot open it: ") + std::strerror(errno));
  // Two processes that append to one file would take each other's lines for their own second runs. The kernel releases the lock
  // when the process ends, so a crash leaves no stale lock.
  if (flock(journal->file_, LOCK_EX | LOCK_NB) != 0)
    return wrong("another ordercheck has it open; wait for it, or name another journal");
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  if (Status read = journal->read(*text); !read) return wrong(read.error().message);
  if (ftruncate(journal->file_, static_cast<off_t>(journal->bytes_)) != 0)
    return wrong(std::string("cannot cut off its torn last line: ") + std::strerror(errno));
  return journal;
}

Journal::~Journal() {
  if (file_ >= 0) close(file_);
}

// A crash while writing leaves text after the last newline: drop it, and that run is repeated. A complete line that fails its
// check means that the file was changed, so none of it counts as evidence.
Status Journal::read(const std::string& text) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    Result<Entry> entry = parse_line(std::string_view(text).substr(begin, end - begin));
    if (!entry)
      return Error{
          fmt::format("line {} is not as it was written: {}; delete the line or the file", lines_ + 1, entry.error().message)};
    Entry read = std::move(entry).value();
    shelves_[read.key].records.push_back(std::move(read.record));
    ++lines_;
  }
  bytes_ = begin;
  dropped_torn_line_ = begin < text.size();
  return Done{};
}

// Each line answers once: a case that runs twice to compare with itself must not receive the same run twice.
const Record* Journal::take(const JournalKey& key) {
  const auto shelf = shelves_.find(to_text(json_of(key)));
  if (shelf == shelves_.end() || shelf->second.taken == shelf->second.records.size()) return nullptr;
  return &shelf->second.records[shelf->second.taken++];
}

Status Journal::append(const JournalKey& key, const Record& record) {
  const std::string line = line_of(key, record);
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t wrote = write(file_, line.data() + done, line.size() - done);
    if (wrote >= 0) {
      done += static_cast<std::size_t>(wrote);
    } else if (errno != EINTR) {
      const std::string why = std::strerror(errno);
      // A full disk can leave half a line, which must not become the beginning of the next one.
      [[maybe_unused]] const int cut = ftruncate(file_, static_cast<off_t>(bytes_));
      return Error{"journal " + path_.string() + ": cannot write line " + std::to_string(lines_ + 1) + ": " + why};
    }
  }
  bytes_ += line.size();
  ++lines_;
  return Done{};
}

Result<Resumed> run_remaining(Pool& pool, Journal& journal, const std::vector<Run>& runs, const Pool::Deliver& deliver) {
  Resumed resumed;
  std::vector<Run> remaining;
  std::vector<std::size_t> indices;  // index in `runs` of each remaining run
  for (std::size_t index = 0; index < runs.size(); ++index) {
    // The files of values belong to the earlier run and no longer exist.
    const bool may_resume = runs[index].keep != Keep::values;
    if (const Record* record = may_resume ? journal.take(key_of(runs[index], pool.hello())) : nullptr) {
      ++resumed.from_journal;
      deliver(index, *record);
    } else {
      remaining.push_back(runs[index]);
      indices.push_back(index);
    }
  }
  // An exception from the delivery callback is the pool's only way to stop early from inside.
  struct CannotJournal {
    Error error;
  };
  try {
    resumed.complete = pool.run(remaining, [&](std::size_t at, const Record& record) {
      // Skip runs that show nothing about the stack, so that a resumed matrix repeats them.
      if (!says_nothing(record.ending))
        if (Status appended = journal.append(key_of(remaining[at], pool.hello()), record); !appended)
          throw CannotJournal{appended.error()};
      ++resumed.run;
      deliver(indices[at], record);
    });
  } catch (const CannotJournal& cannot) {
    return cannot.error;
  }
  return resumed;
}

}  // namespace ordercheck
