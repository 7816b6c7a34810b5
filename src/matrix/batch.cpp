#include "matrix/batch.h"

#include <algorithm>
#include <cassert>
#include <system_error>

#include <fmt/format.h>

#include "stack/mesh.h"

namespace ordercheck {

Batch::Batch(Runner& runner, std::filesystem::path values_folder, OnProgress on_progress)
    : runner_(runner), values_folder_(std::move(values_folder)), on_progress_(std::move(on_progress)) {}

void Batch::want(const Case& c, int attempt, Keep keep) {
  Task task{.case_text = print(c), .attempt = attempt, .keep = keep};
  if (!records_.contains(task)) wanted_.emplace(std::move(task), c);
}

void Batch::mutate(const Stack& stack, std::string mutant, std::optional<Fault> fault) {
  mutated_ = stack;
  mutant_ = std::move(mutant);
  fault_ = std::move(fault);
}

const Record& Batch::record(const Case& c, int attempt, Keep keep) const {
  const auto found = records_.find(Task{.case_text = print(c), .attempt = attempt, .keep = keep});
  assert(found != records_.end() && "only what was wanted and run has a record");
  return found->second;
}

Result<Request> Batch::request_of(const Task& task, const Case& c) const {
  Request request{.run = {.subject = c, .keep = task.keep}, .attempt = task.attempt};
  if (c.stack == mutated_) {
    request.run.mutant = mutant_;
    request.run.fault = fault_;
  }
  if (task.keep != Keep::values) return request;
  const auto folder = values_folder_ / hex(hash_of(task.case_text));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot make the folder {} for tensors: {}", folder.string(), error.message())};
  request.run.values_folder = folder.string();
  return request;
}

Status Batch::run() {
  std::vector<std::pair<Task, Case>> tasks(wanted_.begin(), wanted_.end());
  wanted_.clear();
  std::ranges::stable_sort(tasks, std::greater<>{}, [](const auto& task) { return world_size(mesh_of(task.second.stack)); });
  std::vector<Request> requests;
  for (const auto& [task, c] : tasks) {
    auto request = request_of(task, c);
    if (!request) return request.error();
    requests.push_back(*request);
  }
  const std::size_t asked = records_.size() + tasks.size();
  return runner_.run(requests, [&](std::size_t index, const Record& record) {
    Record& kept = records_[tasks[index].first] = record;
    for (TraceEntry& entry : kept.trace)  // a worker names files within the folder that it was given
      if (!entry.file.empty()) entry.file = (std::filesystem::path(requests[index].run.values_folder) / entry.file).string();
    if (on_progress_) on_progress_(records_.size(), asked);
  });
}

}  // namespace ordercheck
