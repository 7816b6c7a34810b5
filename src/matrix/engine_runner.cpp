#include "matrix/engine_runner.h"

#include <system_error>

#include <fmt/format.h>

#include "base/bits.h"

namespace ordercheck {

Result<std::unique_ptr<EngineRunner>> EngineRunner::start(const EngineSpec& spec, const PoolOptions& options) {
  auto pool = Pool::start(spec, options);
  if (!pool) return pool.error();
  return std::unique_ptr<EngineRunner>(new EngineRunner(std::move(pool).value()));
}

Status EngineRunner::resume_from(const std::filesystem::path& journal, bool fresh) {
  if (fresh) {
    std::error_code error;
    std::filesystem::remove(journal, error);
    if (error) return Error{fmt::format("cannot remove the journal {}: {}", journal.string(), error.message())};
  }
  auto opened = Journal::open(journal);
  if (!opened) return Error{opened.error().message + "; --fresh begins a new one"};
  journal_ = std::move(opened).value();
  journal_path_ = journal;
  return Done{};
}

Status EngineRunner::run(const std::vector<Run>& runs, const Deliver& deliver) {
  const Error interrupted{"interrupted; what was done is in the journal, the same command goes on from there"};
  if (!journal_) {
    if (!pool_->run(runs, deliver)) return interrupted;
    return Done{};
  }
  // The second run of a case needs no key of its own: the journal answers with each of its lines once.
  auto resumed = run_remaining(*pool_, *journal_, runs, deliver);
  if (!resumed) return resumed.error();
  from_journal_ += resumed->from_journal;
  delivered_ += resumed->from_journal + resumed->run;
  if (!resumed->complete) return interrupted;
  return Done{};
}

Result<std::filesystem::path> default_journal(const Hello& hello) {
  auto cache = cache_folder();
  if (!cache) return cache.error();
  const std::string build = hex(hash_of(hello.content_hash)).substr(0, 16);
  return *cache / "journal" / fmt::format("{}-{}.jsonl", hello.engine, build);
}

}  // namespace ordercheck
