#include "native/module/compiled_scope.h"

#include <algorithm>

#include <ATen/SequenceNumber.h>
#include <torch/csrc/autograd/function.h>

#include "native/module/rank.h"

namespace ordercheck::ranks {
namespace {

CompiledWork* find_work() {
  RankState* rank = find_rank();
  return rank ? &rank->compiled : nullptr;
}

}  // namespace

void CompiledWork::enter_scope() {
  if (scopes_++ == 0) first_ = at::sequence_number::peek();
}

void CompiledWork::leave_scope() {
  if (--scopes_ == 0) made_.emplace_back(first_, at::sequence_number::peek());
}

bool CompiledWork::in_scope() const {
  if (scopes_ > 0 || graphs_ > 0) return true;
  const auto node = torch::autograd::get_current_node();
  return node && std::ranges::any_of(made_, [number = node->sequence_nr()](const auto& made) {
           return made.first <= number && number < made.second;
         });
}

CompiledScope::CompiledScope() : work_(find_work()) {
  if (work_) work_->enter_scope();
}
CompiledScope::~CompiledScope() {
  if (work_) work_->leave_scope();
}

GraphRun::GraphRun() : work_(find_work()) {
  if (work_) work_->enter_graph();
}
GraphRun::~GraphRun() {
  if (work_) work_->leave_graph();
}

}  // namespace ordercheck::ranks
