#include "matrix/distinct_runs.h"

#include <algorithm>
#include <cassert>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "stack/mesh.h"

namespace ordercheck {

const Case& PendingRun::subject() const { return slot_->subject; }

const Record& PendingRun::record() const {
  assert(slot_->record && "only what was run has a record");
  return *slot_->record;
}

Runs::Runs(Runner& runner, std::filesystem::path values_folder, OnProgress on_progress)
    : runner_(runner), values_folder_(std::move(values_folder)), on_progress_(std::move(on_progress)) {}

PendingRun Runs::ask(const Case& c, Turn turn, Keep keep, bool coarse_factors) {
  const auto [slot, is_new] = slots_.try_emplace(
      Key{.case_text = print(c), .turn = turn, .keep = keep, .coarse_factors = coarse_factors}, PendingRun::Slot{.subject = c});
  return PendingRun(&slot->second);
}

void Runs::inject(const Stack& stack, const Fault& fault) {
  faulty_ = stack;
  fault_ = fault;
}

Result<Run> Runs::message_for(const Key& key, const Case& c) const {
  Run run{.subject = c, .keep = key.keep, .coarse_factors = key.coarse_factors};
  if (c.stack == faulty_) run.fault = fault_;
  if (key.keep != Keep::values) return run;
  const auto folder = values_folder_ / hex(hash_of(key.case_text));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{fmt::format("cannot make the folder {} for tensors: {}", folder.string(), error.message())};
  run.values_folder = folder.string();
  return run;
}

Status Runs::run() {
  std::vector<std::pair<const Key*, PendingRun::Slot*>> wanted;
  for (auto& [key, slot] : slots_)
    if (!slot.record) wanted.emplace_back(&key, &slot);
  std::ranges::stable_sort(wanted, std::greater<>{},
                           [](const auto& one) { return world_size(mesh_of(one.second->subject.stack)); });
  std::vector<Run> runs;
  for (const auto& [key, slot] : wanted) {
    auto run = message_for(*key, slot->subject);
    if (!run) return run.error();
    runs.push_back(*std::move(run));
  }
  std::size_t done = slots_.size() - wanted.size();
  return runner_.run(runs, [&](std::size_t index, const Record& record) {
    Record& kept = wanted[index].second->record.emplace(record);
    for (TraceEntry& entry : kept.trace)  // a worker names files relative to its folder
      if (!entry.file.empty()) entry.file = (std::filesystem::path(runs[index].values_folder) / entry.file).string();
    if (on_progress_) on_progress_(++done, slots_.size());
  });
}

}  // namespace ordercheck
