#include "matrix/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace ordercheck {

Batch::Batch(Runner& runner, int jobs, std::filesystem::path values_folder, OnProgress on_progress)
    : runner_(runner),
      jobs_(std::max(jobs, 1)),
      values_folder_(std::move(values_folder)),
      on_progress_(std::move(on_progress)) {}

void Batch::want(const Case& c, int attempt, Keep keep) {
  Task task{.case_text = print(c), .attempt = attempt, .keep = keep};
  if (!records_.contains(task)) wanted_.emplace(std::move(task), c);
}

const Record& Batch::record(const Case& c, int attempt, Keep keep) const {
  const auto found = records_.find(Task{.case_text = print(c), .attempt = attempt, .keep = keep});
  assert(found != records_.end() && "only what was wanted and run has a record");
  return found->second;
}

Result<Record> Batch::run_one(const Task& task, std::int64_t id) {
  Run run{.id = id, .subject = wanted_.at(task), .keep = task.keep};
  if (task.keep == Keep::values) {
    const auto folder = values_folder_ / std::to_string(id);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Error{fmt::format("cannot make the folder {} for tensors: {}", folder.string(), error.message())};
    run.values_folder = folder.string();
  }
  return runner_.run(run, task.attempt);
}

Status Batch::run() {
  std::vector<Task> tasks;
  for (const auto& [task, c] : wanted_) tasks.push_back(task);
  std::vector<std::optional<Result<Record>>> results(tasks.size());
  std::mutex mutex;
  std::size_t next = 0, done = 0;
  bool stop = false;
  const std::size_t before = records_.size();
  auto work = [&] {
    for (;;) {
      std::size_t mine;
      {
        std::lock_guard lock(mutex);
        if (stop || next == tasks.size()) return;
        mine = next++;
      }
      auto result = run_one(tasks[mine], static_cast<std::int64_t>(before + mine + 1));
      std::lock_guard lock(mutex);
      stop = stop || !result;
      results[mine] = std::move(result);
      ++done;
      if (on_progress_) on_progress_(before + done, before + tasks.size());
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < std::min<int>(jobs_, static_cast<int>(tasks.size())); ++i) threads.emplace_back(work);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!results[i]) continue;
    if (!*results[i]) return results[i]->error();
    records_.emplace(tasks[i], **results[i]);
  }
  wanted_.clear();
  return Done{};
}

}  // namespace ordercheck
