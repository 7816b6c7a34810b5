#include "native/module/rank.h"

#include <cassert>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <torch/csrc/autograd/graph_task.h>

namespace ordercheck::ranks {
namespace {

thread_local RankState* current = nullptr;

// Injects the fault that the case asks for in this module, to test that the supervisor detects it.
void commit(const Fault& fault, const std::string& path) {
  if (fault.kind == "crash") std::abort();
  // exit() would destroy statics while the other ranks still compute.
  if (fault.kind == "exit") std::quick_exit(17);
  if (fault.kind == "throw") throw std::runtime_error(fmt::format("asked to throw in {}", path));
  if (fault.kind == "slow") std::this_thread::sleep_for(std::chrono::seconds(2));
  if (fault.kind == "hang") {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

}  // namespace

RankState::RankState(int rank, Mesh mesh, FlightRecorder* flight, std::optional<Fault> fault, at::Device device)
    : rank(rank), mesh(mesh), device(device), flight_(flight), fault_(std::move(fault)) {
  if (fault_ && fault_->rank != rank) fault_.reset();
}

Phase RankState::phase() const {
  if (recompute_depth_ > 0) return Phase::recompute;
  if (torch::autograd::get_current_graph_task_id() != -1) return Phase::backward;
  return phase_;
}

void RankState::set_phase(int step, Phase phase) {
  step_ = step;
  phase_ = phase;
  if (flight_) flight_->at_step(rank, step, phase);
}

void RankState::enter_module(const std::string& path) {
  modules_.push_back(path);
  const Phase now = phase();
  if (flight_) flight_->at_module(rank, now, path);
  const bool of_a_collective = fault_ && (fault_->kind == "skip_collective" || fault_->kind == "wrong_shape");
  if (fault_ && !of_a_collective && fault_->module == path && fault_->phase == now) {
    const Fault due = *fault_;
    fault_.reset();
    commit(due, path);
  }
}

void RankState::leave_module() {
  modules_.pop_back();
  if (flight_) flight_->at_module(rank, phase(), module());
}

const std::string& RankState::module() const {
  static const std::string outside;
  return modules_.empty() ? outside : modules_.back();
}

void RankState::note_thrown() {
  if (!thrown_) thrown_ = Thrown{.phase = phase(), .module = module()};
}

void RankState::count_collective(const std::string& kind, const std::string& group, std::int64_t bytes) {
  auto& [count, sum] = collectives_[{kind, group, phase()}];
  ++count;
  sum += bytes;
  ++collectives_issued_;
}

std::vector<CollectiveCount> RankState::collectives() const {
  std::vector<CollectiveCount> counts;
  for (const auto& [key, value] : collectives_) {
    counts.push_back({.kind = std::get<0>(key),
                      .group = std::get<1>(key),
                      .phase = std::get<2>(key),
                      .count = value.first,
                      .bytes = value.second});
  }
  return counts;
}

RankState& this_rank() {
  assert(current && "this_rank() outside a rank");
  return *current;
}

RankState* find_rank() { return current; }

at::Device device_now() { return current ? current->device : at::Device(at::kCPU); }

RankScope::RankScope(RankState& state) {
  assert(!current && "a thread runs one rank");
  current = &state;
}

RankScope::~RankScope() { current = nullptr; }

}  // namespace ordercheck::ranks
