#include "engine/seat.h"

#include "engine/blame.h"

namespace ordercheck {

Status Seat::prepare(const Hello* expected) {
  if (worker_ && worker_->ready()) return Done{};
  worker_.reset();
  Result<std::unique_ptr<Worker>> started = Worker::start(spec_, options_);
  if (!started) return started.error();
  if (expected != nullptr && started.value()->hello() != *expected)
    return Error{called(spec_) + ": worker " + spec_.command[0] + " was changed while it was in use: expected content hash " +
                 expected->content_hash + ", got " + started.value()->hello().content_hash + "; run again"};
  worker_ = std::move(started).value();
  return Done{};
}

std::optional<Record> Seat::run(const Run& run, const Hello& expected) {
  const auto stopped = [&] { return options_.stop != nullptr && *options_.stop; };
  std::string why = "the worker was gone before it could take the case";
  // Twice: an idle worker may end between the look at it and the message to it, and that is not this case's doing.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (stopped()) return std::nullopt;
    if (Status prepared = prepare(&expected); !prepared) {
      why = prepared.error().message;
      continue;
    }
    if (std::optional<Record> record = worker_->run(run)) return record;
  }
  if (stopped()) return std::nullopt;
  Failure failure;
  failure.message = why;
  return unfinished(run, expected, Ending::unstarted, std::move(failure));
}

}  // namespace ordercheck
