// Loads the space of a matrix: which stacks, models and world sizes to run on an engine. It is matrix/space-<engine>.toml if
// that exists, else matrix/space.toml.
//
//   models = ["llama"]            engines = ["native"]   # the engines that may use this space
//   transforms = ["tp", "ac", "fsdp"]
//   ranks = [1, 2, 3, 4]          # world sizes of the legal orders
//   order_ranks = [2, 4]          # world sizes at which every order runs, legal or not
//   sets = ["ac,compile:wrap,fsdp"]   # every order of exactly these items; the order written here is irrelevant
//   set_ranks = [1, 4]            # world sizes of the sets; degrees are spread over a set's mesh axes
//   stacks = ["fsdp=5"]           # exactly these stacks, with their degrees; optional
//   legal_sets = ["pp,tp,ac,compile,fsdp"]   # for a set too large for every order: its legal orders, one per class of
//                                 # commuting orders, and one order per irreducible edge of its precedence graph that
//                                 # breaks only that edge; the default degree is 2; optional
//   backend_witnesses = 3         # also run compiling witnesses of at most this many items under the usual backend; optional
//   smoke = ["fsdp=2", "ep=2,fsdp=2 model=qwen3_moe"]   # tier smoke: shows whether an engine works with a build at all;
//                                 # optional
//   default = ["ac,fsdp=4"]       # tier default: runs if no tier is named; see Tier in plan.h
//   versions = ["ac,fsdp=4"]      # tier versions: for builds that do not run the whole space; optional
//   accumulations = [1, 2, 4]
//   optimizers = ["optimizer=sgd", "optimizer=adamw:clip=1.0"]
//   most_ranks = 5                # no source plans cases with more ranks; optional
//   covering = ["tp=2,ac accumulation=4"]   # rows that together contain every pair of options; optional
//   optimizer_ranks = [2, 4]      # world sizes of the orders that get an optimizer at every position
//
//   [[model]]                     # stacks for a model that is not in `models`; optional
//   name = "deepseek_v3"
//   stacks = ["ep=2,fsdp=4"]      # with degrees; optional
//   every_order_of = ["ep=2,tp=2,fsdp=2"]   # every order of exactly these items; optional
//
//   [[traffic]]                   # a table that compares the traffic of stacks; optional
//   title = "SimpleFSDP"
//   model = "llama"
//   steps = 10                    # optional
//   leave_out = ["tp"]            # groups of ranks with uncounted collectives; optional
//   stacks = ["fsdp=4", "simple_fsdp=4,compile@model"]
//   # Compares with a traffic table of another engine; `models` says how the models differ. Optional; also version = "1.0"
//   beside = {engine = "mine", title = "What my stacks send", models = "Both have two blocks."}
//   [[traffic.differs]]           # why stacks send another amount there; pages reject an entry for equal amounts
//   stacks = ["fsdp=4"]
//   why = "The embedding is a group of its own there."
//   page = "EFF-006"              # the page with details; optional
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stack/case.h"
#include "stack/stack.h"

namespace ordercheck {

struct OwnStacks {
  std::string model;
  std::vector<Stack> stacks;  // with degrees
  friend bool operator==(const OwnStacks&, const OwnStacks&) = default;
};

// The traffic table of another engine that a table is compared with.
struct Beside {
  std::string engine;
  std::string version = {};  // "" for the newest
  std::string title;
  std::string models;  // how the models of the two differ: a sentence
  friend bool operator==(const Beside&, const Beside&) = default;
};

// Why stacks send more or less than the same stacks in the table of `Beside`.
struct TrafficDifference {
  std::vector<Stack> stacks;  // from the table
  std::string why;            // a sentence or two
  std::string page;           // the id of the page with details, or ""
  friend bool operator==(const TrafficDifference&, const TrafficDifference&) = default;
};

struct TrafficTable {
  std::string title;
  std::string model;
  int steps = 0;
  std::vector<std::string> leave_out;  // groups of ranks with uncounted collectives: "tp"
  std::vector<Stack> stacks;           // with degrees, in the order of the table
  std::optional<Beside> beside = {};
  std::vector<TrafficDifference> differs = {};
  std::string file = {};  // the file that contains the table: "matrix/space.toml"
  friend bool operator==(const TrafficTable&, const TrafficTable&) = default;
};

struct Space {
  std::vector<std::string> models;
  std::vector<std::string> engines;
  std::vector<std::string> transforms;  // names of the catalogue; each at most once in a stack
  std::vector<int> ranks;
  std::vector<int> order_ranks;
  std::vector<Stack> sets;  // without degrees
  std::vector<int> set_ranks;
  std::vector<Stack> stacks;  // with their degrees
  std::vector<Stack> legal_sets;
  std::vector<Case> smoke;       // with degrees; for the models of the space unless they name one, and for any engine
  std::vector<Case> by_default;  // as `smoke`; empty means everything
  std::vector<Case> versions;    // as `smoke`
  int backend_witnesses = 0;     // largest size of a witness that also runs under the usual backend
  std::vector<int> accumulations;
  std::vector<Item> optimizers;
  std::vector<int> optimizer_ranks;
  std::vector<OwnStacks> own_stacks;  // for models that are not in `models`
  std::vector<TrafficTable> traffic;
  std::vector<Case> covering;  // stacks with their numbers of microbatches
  int most_ranks = std::numeric_limits<int>::max();
  friend bool operator==(const Space&, const Space&) = default;
};

// Errors are "<path>:<line>: ...": a missing or unknown key, an unknown transform, a number below 1.
Result<Space> parse_space(std::string_view text, const std::string& path);
Result<Space> load_space(const std::filesystem::path& path);

// The space of an engine below `folder` ("matrix"). Returns an error too if that file does not list the engine.
Result<Space> load_space_of(const std::string& engine, const std::filesystem::path& folder);

}  // namespace ordercheck
