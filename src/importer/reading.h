// What a project's settings mean, by a table of its keys, and what is gathered from them: items, sizes, and what was not understood.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum.h"
#include "importer/imported.h"
#include "importer/settings.h"
#include "stack/stack.h"

namespace ordercheck {

// The orders that projects fix in their code, from matrix/frameworks/: part of the program. A configuration names transforms; who
// applies them in which order, its project has decided.

struct FixedOrder {
  std::string name;     // of the file, without its folder and ".toml"
  Stack order;          // without degrees
  std::string release;  // of the project, where the order is of one: "0.2.2"
  std::string source;   // "accelerate 16cb6eb8, accelerator.py from about line 1531 to 1720 (2026-07-24)"
};

// Asserts that the program holds a file of this name.
const FixedOrder& fixed_order(std::string_view name);

// Puts the items into the order. A transform that it does not name takes the place of its kind: hsdp that of fsdp, sac that of ac,
// ddp that of fsdp. One without any place comes last and is returned; an optimizer always does, and is not.
std::vector<Item> put_in_order(Stack& stack, const Stack& order);

// More ranks no machine has: what is beyond is taken for a mistake.
inline constexpr long long kMostImportedRanks = 1'000'000'000;

// What a key says; `of` says more.
//   degree   how many ranks an axis has: pp, tp, cp, ep, dp_shard, dp_replicate
//   item     where it is true, the item `of`
//   size     a size of the model or step, by its name
//   ranks    how many there are
//   nothing  it does not matter to the order
//   unmet    it matters where it is on, and nothing in a stack stands for it: `of` says why. 1 is on
//   alone    the same of a degree: 1 is off
//   read     the reader asks for it
ORDERCHECK_ENUM(Says, degree, item, size, ranks, nothing, unmet, alone, read)

struct Key {
  std::string_view pattern;  // "parallelism.*": '*' matches any run. The first that matches is meant
  Says says = Says::nothing;
  std::string_view of = "";
};

struct DataParallel {
  std::string_view shard = "fsdp", both = "hsdp", replicate = "ddp";  // what stands for it
  std::string sharded_options = "";                                   // ":reshard=never", behind one that shards
  std::string replicated_options = "";                                // behind one that does not
  std::string scope = "";                                             // "@model"
};

class Reading {
 public:
  // A key that no row matches is not understood where a section of `sections` ("fsdp_config.*") holds it; elsewhere it is no matter of
  // the order.
  Reading(SettingList settings, const std::vector<Key>& keys, const std::vector<std::string_view>& sections);

  // Null where the file does not state it, or states null.
  const Setting* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  Origin where(std::string_view key) const;  // without a line where it is not stated

  // Of a value of another form nothing, and it is not understood. Whole numbers and flags may stand in quotes.
  std::optional<long long> whole(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::string word(std::string_view key);  // "" where it is not stated; any scalar as it stands

  int degree(std::string_view axis) const;  // 1 where it is not stated
  bool states_degree(std::string_view axis) const { return degrees_.contains(std::string(axis)); }
  Origin degree_origin(std::string_view axis) const;
  void set_degree(std::string_view axis, int degree, const Origin& where);

  // One item, in the notation of stacks. Asserts that it is one.
  void add(const std::string& item, const Origin& where);
  // "tp=2" with these options where the degree is above 1.
  void add_degree(std::string_view axis, const std::string& options = "");
  // The degrees of dp_shard and dp_replicate as one item; 0 for one that is not known. `always` shards over one rank too.
  void add_data_parallel(int replicate, int shard, bool always, const Origin& where, const DataParallel& as);

  void refuse(const Setting& setting, std::string why);
  void note(const std::string& text, const Origin& where, std::string why, NoteKind kind = NoteKind::open);
  void set_size(const std::string& name, const Setting& setting);
  void set_flag(const std::string& name, bool on) { sizes_[name] = on ? 1 : 0; }
  std::optional<int> ranks;

  // The items in their fixed order. Degrees of pp, tp, cp and ep that no item has taken become items of their own.
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

// Whether it switches nothing on: false, null, 0, "", none, no, off, an empty list.
bool is_off(const Setting& setting);

// A whole number that it holds, in quotes or not.
std::optional<long long> whole_of(const Setting& setting);

// Pipeline schedules by the names of torch.distributed.pipelining, as torchtitan and NeMo AutoModel take them.

// The option of pp: ":1f1b" of "1F1B"; "" of a schedule that pp has no word for.
std::string schedule_option(std::string_view name);

}  // namespace ordercheck
