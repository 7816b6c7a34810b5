#include "ranks/comm/blame.h"

#include <utility>

namespace ordercheck::ranks {
namespace {

thread_local const BlameScope* innermost = nullptr;

void tell_flight() {
  const RankState* rank = find_rank();
  if (rank && rank->flight()) rank->flight()->at_module(rank->rank, rank->phase(), blamed_module(*rank));
}

}  // namespace

BlameScope::BlameScope(std::string module)
    : module_(std::move(module)), called_from_(find_rank() ? find_rank()->module() : ""), outer_(innermost) {
  innermost = this;
  tell_flight();
}

BlameScope::~BlameScope() {
  innermost = outer_;
  tell_flight();
}

const std::string& blamed_module(const RankState& rank) {
  return innermost && rank.module() == innermost->called_from_ ? innermost->module_ : rank.module();
}

FlightSlot place_of(const RankState& rank) {
  FlightSlot place;
  place.used = true;
  place.step = rank.step();
  place.phase = rank.phase();
  place.module = blamed_module(rank);
  return place;
}

}  // namespace ordercheck::ranks
