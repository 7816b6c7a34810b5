// Converts a project's settings to a stack with a table of its keys. Collects items, sizes and settings that were not
// understood.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "import/imported.h"
#include "import/settings.h"
#include "stack/stack.h"

namespace ordercheck {

// The orders that projects fix in their code, embedded from matrix/frameworks/. A configuration only selects transforms; the
// project decides their order.

struct FixedOrder {
  std::string name;     // the file's name without folder and ".toml"
  Stack order;          // without degrees
  std::string release;  // the project's release, if the order belongs to one: "0.2.2"
  std::string source;   // "accelerate 16cb6eb8, accelerator.py from about line 1531 to 1720 (2026-07-24)"
};

// Asserts that an embedded file has this name.
const FixedOrder& fixed_order(std::string_view name);

// Sorts the items of `stack` by a project's `order`. A transform that the order lacks takes the position of a related one:
// hsdp and ddp that of fsdp, sac that of ac. Items without a position come last and are returned. Optimizers always come last
// and are not returned.
std::vector<Item> put_in_order(Stack& stack, const Stack& order);

// A larger number of ranks in a file is reported as a mistake.
inline constexpr long long kMostImportedRanks = 1'000'000'000;

// What a setting's key means for the stack; `of` (below) has details.
//   degree   the number of ranks of an axis: pp, tp, cp, ep, dp_shard, dp_replicate
//   item     adds the item `of` if true
//   size     a size of the model or step, named by `of`
//   ranks    the number of ranks
//   nothing  does not affect the order
//   unmet    not understood if on: it affects the order, but no item expresses it; `of` says why; 1 means on
//   alone    as `unmet`, for a degree: 1 means off
//   read     handled by code of the project's reader
ORDERCHECK_ENUM(Says, degree, item, size, ranks, nothing, unmet, alone, read)

struct Key {
  std::string_view pattern;  // "parallelism.*": '*' matches any text; the first match counts
  Says says = Says::nothing;
  std::string_view of = "";
};

// `of` of a key that moves parameters, optimizer states or activations off the device.
inline constexpr std::string_view kOffDevice = "no transform for offloading";

struct DataParallel {
  std::string_view shard = "fsdp", both = "hsdp", replicate = "ddp";  // the transforms to use
  std::string sharded_options = "";                                   // ":reshard=never", appended to a sharding transform
  std::string replicated_options = "";                                // appended to a replicating transform
  std::string scope = "";                                             // "@model"
};

class Reading {
 public:
  // A key without a row is "not understood" if one of `sections` ("fsdp_config.*") matches it; otherwise it cannot affect the
  // order.
  Reading(SettingList settings, const std::vector<Key>& keys, const std::vector<std::string_view>& sections);

  // nullptr if the file does not set it, or sets it to null.
  const Setting* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  Origin where(std::string_view key) const;  // without a line if not set

  // nullopt for a value of another form, which is added to "not understood". Whole numbers and flags may be quoted.
  std::optional<long long> whole(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::string word(std::string_view key);  // "" if not set; any scalar, as written

  int degree(std::string_view axis) const;  // 1 if not set
  bool states_degree(std::string_view axis) const { return degrees_.contains(std::string(axis)); }
  Origin degree_origin(std::string_view axis) const;
  void set_degree(std::string_view axis, int degree, const Origin& where);

  // Adds one item, in the notation of stacks; asserts that it is exactly one.
  void add(const std::string& item, const Origin& where);
  // Adds "tp=2" with these options if the degree is above 1.
  void add_degree(std::string_view axis, const std::string& options = "");
  // Adds one item for the degrees of dp_shard and dp_replicate; 0 means unknown. `always`: adds the item even if the degree is
  // 1.
  void add_data_parallel(int replicate, int shard, bool always, const Origin& where, const DataParallel& as);

  void refuse(const Setting& setting, std::string why);
  void note(const std::string& text, const Origin& where, std::string why, NoteKind kind = NoteKind::open);
  void set_size(const std::string& name, const Setting& setting);
  void set_flag(const std::string& name, bool on) { sizes_[name] = on ? 1 : 0; }
  std::optional<int> ranks;

  // Returns the result: the items in the project's fixed order. Degrees of pp, tp, cp and ep that were not added yet become
  // items.
  Imported take(std::string format, const FixedOrder& order, std::string project = "");

 private:
  struct Stated {
    int degree = 1;
    Origin where;
  };

  void apply(const Key& key, const Setting& setting);

  SettingList settings_;
  std::map<std::string, Stated> degrees_;
  Stack stack_;
  std::map<std::string, long long> sizes_;
  std::vector<NotUnderstood> not_understood_;
};

// Whether the setting's value turns a feature off: false, null, 0, "", none, no, off, an empty list or table.
bool is_off(const Setting& setting);

// The setting's value as an integer, quoted or not; nullopt if it is none.
std::optional<long long> whole_of(const Setting& setting);

// Maps pipeline schedules by their names in torch.distributed.pipelining, as torchtitan and NeMo AutoModel use them.

// The option of pp, such as ":1f1b" for "1F1B"; "" if pp has no option for the schedule.
std::string schedule_option(std::string_view name);

}  // namespace ordercheck
