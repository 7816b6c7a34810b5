#include "rules/condition_values.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"
#include "stack/trainer.h"

namespace ordercheck {
namespace {

const std::vector<std::string>& counted_transforms() {
  static const std::vector<std::string> names{"ac", "sac", "compile"};
  return names;
}

std::size_t slot(std::string_view name) {
  const auto found = slot_of(name);
  assert(found && "a name that conditions know");
  return *found;
}

// The slots of the names that this file sets, looked up once, so that evaluating conditions needs no lookup by name.
struct Slots {
  std::array<std::size_t, kMeshAxes.size()> axes;
  std::size_t dp = slot("dp"), world = slot("world"), ep = slot("ep"), etp = slot("etp"), ranks = slot("ranks");
  std::size_t clip_alone = slot("clip_alone"), microbatches = slot("microbatches");
  std::vector<std::size_t> counted;

  Slots() {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis] = slot(kMeshAxes[axis]);
    for (const std::string& name : counted_transforms()) counted.push_back(slot(name));
  }
};

const Slots& slots() {
  static const Slots all;
  return all;
}

}  // namespace

const std::vector<std::string>& condition_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"pp", "dp_replicate", "dp_shard", "cp", "tp", "ep", "etp", "dp", "world", "ranks"};
    for (const auto* sizes : {&model_size_names(), &step_size_names(), &counted_transforms()})
      all.insert(all.end(), sizes->begin(), sizes->end());
    all.push_back("clip_alone");
    assert(all.size() <= ConditionValues::kMostSlots);
    return all;
  }();
  return names;
}

std::optional<std::size_t> slot_of(std::string_view name) {
  const auto found = std::ranges::find(condition_names(), name);
  if (found == condition_names().end()) return std::nullopt;
  return found - condition_names().begin();
}

bool ConditionValues::contains(std::string_view name) const { return contains(slot(name)); }

bool ConditionValues::is_assumed(std::string_view name) const { return is_assumed(slot(name)); }

long long ConditionValues::at(std::string_view name) const {
  assert(contains(name) && "a value that is known");
  return at(slot(name));
}

void ConditionValues::set(std::string_view name, long long value) { set(slot(name), value); }

ConditionValues values_of(const Sizes& sizes) {
  ConditionValues values;
  for (const auto& [name, size] : sizes) values.set(name, size);
  return values;
}

ConditionValues values_of(const Job& job) {
  ConditionValues values = values_of(job.sizes);
  if (job.ranks) values.set(slots().ranks, *job.ranks);
  for (const std::string& flag : rare_flags())
    if (!values.contains(flag)) values.set(flag, 0);
  return values;
}

ItemShare share_of(const Item& item) {
  ItemShare share{.mesh = mesh_share_of(item),
                  .counted = {},
                  .clips_alone = clips_alone(item),
                  .is_ep = item.name == "ep",
                  .etp = {},
                  .microbatches = {}};
  const auto count = [&](const char* transform, const char* option) -> std::optional<long long> {
    const auto written = item.name == transform ? option_of(item, option) : std::nullopt;
    return written ? parse_integer(*written) : std::nullopt;
  };
  share.etp = count("ep", "etp");
  share.microbatches = count("pp", "microbatches");
  if (contains(counted_transforms(), item.name)) share.counted = slot(item.name);
  return share;
}

ValuesOfStack::ValuesOfStack(const ConditionValues& job) : values_(job) {
  values_.set(slots().ep, 1);
  values_.set(slots().etp, 1);
  values_.set(slots().clip_alone, 0);
  for (const std::size_t counted : slots().counted) values_.set(counted, 0);
}

void ValuesOfStack::add(const ItemShare& share, std::span<const Degree> degrees) {
  multiply(mesh_, share.mesh, degrees);
  if (share.counted) values_.set(*share.counted, values_.at(*share.counted) + 1);
  if (share.clips_alone) values_.set(slots().clip_alone, values_.at(slots().clip_alone) + 1);
  if (share.is_ep && degrees.empty()) values_.assume(slots().ep, kMissingDegree.value);
  if (share.is_ep && !degrees.empty()) values_.set(slots().ep, degrees.front().value);
  for (std::size_t i = degrees.size(); i < share.mesh.axes.size(); ++i)
    if (share.mesh.axes[i] >= 0) assumed_[static_cast<std::size_t>(share.mesh.axes[i])] = true;
  if (share.etp) values_.set(slots().etp, *share.etp);
  if (share.microbatches) values_.set(slots().microbatches, *share.microbatches);
}

void ValuesOfStack::finish() {
  const auto put = [&](std::size_t slot, long long value, bool assumed) {
    if (assumed)
      values_.assume(slot, value);
    else
      values_.set(slot, value);
  };
  for (std::size_t axis = 0; axis < kMeshAxes.size(); ++axis) put(slots().axes[axis], mesh_.degrees[axis], assumed_[axis]);
  const std::size_t replicate = slots().axes[1], shard = slots().axes[2];
  put(slots().dp, values_.at(replicate) * values_.at(shard), assumed_[1] || assumed_[2]);
  put(slots().world, world_size(mesh_), std::ranges::find(assumed_, true) != assumed_.end());
}

void ValuesOfStack::take_missing_degrees_as_run() { values_.assume_nothing(); }

ConditionValues condition_values(const Stack& stack, const Job& job) {
  ValuesOfStack values(values_of(job));
  for (const Item& item : stack.items) values.add(share_of(item), item.degrees);
  values.finish();
  return values.values();
}

}  // namespace ordercheck
