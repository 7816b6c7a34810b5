#include "native/world/gloo_backend.h"

#include <thread>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace ordercheck::ranks {
namespace {

c10::intrusive_ptr<c10d::Backend> connect(const RankGroup& group, const MeetingPlace& meeting, int rank) {
  const int size = static_cast<int>(group.ranks.size());
  // Groups along one axis have the same name but different first ranks, so the first rank makes the store's keys unique.
  const std::string name = group.name + "." + std::to_string(group.ranks.front());
  static const auto device = meeting.interface.empty() ? c10d::ProcessGroupGloo::createDeviceForHostname(meeting.address)
                                                       : c10d::ProcessGroupGloo::createDeviceForInterface(meeting.interface);
  auto options = c10d::ProcessGroupGloo::Options::create(kNoLimit);
  options->devices.push_back(device);
  return c10::make_intrusive<c10d::ProcessGroupGloo>(meeting.store_of(name, size), place_in(group, rank), size,
                                                     std::move(options));
}

}  // namespace

GlooBackend::GlooBackend(const RankGroup& group, const MeetingPlace& meeting, RankState& state, Waiting& waiting)
    : ProcessBackend(group, connect(group, meeting, state.rank), state, waiting) {}

void GlooBackend::settle(const WorkPtr& work) {
  while (work.use_count() > 1) std::this_thread::yield();
}

}  // namespace ordercheck::ranks
