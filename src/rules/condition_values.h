// Stores the numbers that the `when` conditions of rule pages use, such as tp or kv_heads (all names: conditions.h). Each name
// has a numbered slot, so that evaluating a condition compares no strings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/job.h"
#include "stack/mesh.h"
#include "stack/stack.h"

namespace ordercheck {

// Every name that a condition may use; its index is its slot.
const std::vector<std::string>& condition_names();
std::optional<std::size_t> slot_of(std::string_view name);  // nullopt if there is no such name

class ConditionValues {
 public:
  static constexpr std::size_t kMostSlots = 64;

  bool contains(std::size_t slot) const { return (known_ >> slot & 1) != 0; }
  long long at(std::size_t slot) const { return values_[slot]; }  // must be known
  void set(std::size_t slot, long long value) {
    values_[slot] = value;
    known_ |= std::uint64_t{1} << slot;
  }
  // Whether the slot is the degree of an item without a number (`tp`), which is only known to be more than 1.
  bool is_assumed(std::size_t slot) const { return (assumed_ >> slot & 1) != 0; }
  void assume_nothing() { assumed_ = 0; }
  void assume(std::size_t slot, long long value) {
    set(slot, value);
    assumed_ |= std::uint64_t{1} << slot;
  }

  bool contains(std::string_view name) const;  // `name`: one of condition_names(); also below
  bool is_assumed(std::string_view name) const;
  long long at(std::string_view name) const;
  void set(std::string_view name, long long value);

 private:
  std::array<long long, kMostSlots> values_{};
  std::uint64_t known_ = 0, assumed_ = 0;
};

// The values that a job gives without a stack: its sizes, and 0 for rare flags that it does not set.
ConditionValues values_of(const Job& job);
ConditionValues values_of(const Sizes& sizes);  // only these sizes, no flags

// What one item adds to the condition values of its stack, apart from its degrees. Computed once per item.
struct ItemShare {
  MeshShare mesh;
  std::optional<std::size_t> counted;  // the slot (ac, sac or compile) that counts this item
  bool clips_alone = false;
  bool is_ep = false;
  std::optional<long long> etp, microbatches;  // set if the item states them
};
ItemShare share_of(const Item& item);

// Computes the condition values of a stack, starting from the job's values: call add() per item, then finish().
class ValuesOfStack {
 public:
  explicit ValuesOfStack(const ConditionValues& job);
  void add(const ItemShare& share, std::span<const Degree> degrees);
  void finish();
  void take_missing_degrees_as_run();                        // call after finish(): unwritten degrees become kMissingDegree
  const ConditionValues& values() const { return values_; }  // after finish()

 private:
  ConditionValues values_;
  Mesh mesh_;
  std::array<bool, kMeshAxes.size()> assumed_{};
};

// The condition values of a stack: its degrees and item counts, and the job's sizes. Microbatches of a pp item override the
// job's.
ConditionValues condition_values(const Stack& stack, const Job& job = {});

}  // namespace ordercheck
