// The space of a matrix: what is enumerated for an engine. It stands in matrix/space-<engine>.toml, or, where there is no
// such file, in matrix/space.toml.
//
//   models = ["llama"]            engines = ["native"]   # whose space this is; others are refused
//   transforms = ["tp", "ac", "fsdp"]
//   ranks = [1, 2, 3, 4]          # world sizes of the legal orders
//   order_ranks = [2, 4]          # world sizes at which every order is tried, legal or not
//   sets = ["ac,compile:wrap,fsdp"]   # every order of exactly these items, their order here meaning nothing
//   set_ranks = [1, 4]            # world sizes of the sets; degrees are spread over a set's mesh axes
//   stacks = ["fsdp=5"]           # these very stacks, with their degrees; may be left out
//   legal_sets = ["pp,tp,ac,compile,fsdp"]   # of a set too large for every order: its legal orders, of those that differ by
//                                 # what commutes one, and for each irreducible edge of its precedence graph one order that
//                                 # breaks that edge alone; a degree that is not written is 2. May be left out
//   backend_witnesses = 3        # rules' witnesses of so many items that compile, under the usual backend too; may be left out
//   smoke = ["fsdp=2", "ep=2,fsdp=2 model=qwen3_moe"]   # tier smoke: the few that show that an engine works with a build at
//                                 # all; may be left out
//   default = ["ac,fsdp=4"]       # tier default: what is run where no tier is named; left out: everything
//   versions = ["ac,fsdp=4"]      # tier versions: those run on builds that the whole is not run on; may be left out
//   accumulations = [1, 2, 4]
//   optimizers = ["optimizer=sgd", "optimizer=adamw:clip=1.0"]
//   most_ranks = 5                # cases of more ranks, whatever asks for them, are not planned; may be left out
//   covering = ["tp=2,ac accumulation=4"]   # rows that together hold every pair of options; optional
//   optimizer_ranks = [2, 4]      # an optimizer is put at every position of the orders of these world sizes
//
//   [[model]]                     # what is run of another model than those of `models`; may be left out
//   name = "deepseek_v3"
//   stacks = ["ep=2,fsdp=4"]      # with degrees; may be left out
//   every_order_of = ["ep=2,tp=2,fsdp=2"]   # every order of these very items; may be left out
//
//   [[traffic]]                   # stacks laid side by side by what their ranks send; may be left out
//   title = "SimpleFSDP"
//   model = "llama"
//   steps = 10                  # may be left out
//   leave_out = ["tp"]          # groups of ranks whose collectives are not counted; may be left out
//   stacks = ["fsdp=4", "simple_fsdp=4,compile@model"]
//   # Lays them beside a table of traffic of an engine's space, whose models may differ: `models` says how. May be left out
//   beside = {engine = "mine", title = "What my stacks send", models = "Both have two blocks."}   # also version = "1.0"
//   [[traffic.differs]]         # stacks that send another number there, and why; one that sends the same is refused on pages
//   stacks = ["fsdp=4"]
//   why = "The embedding is a group of its own there."
//   page = "EFF-006"            # the page that tells more; may be left out
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

// The table of traffic that another one is laid beside.
struct Beside {
  std::string engine;
  std::string version = {};  // "" of the newest
  std::string title;
  std::string models;  // how the models of the two differ: a sentence
  friend bool operator==(const Beside&, const Beside&) = default;
};

// Why stacks send more or less than they do in the table beside.
struct TrafficDifference {
  std::vector<Stack> stacks;  // of the table
  std::string why;            // a sentence or two
  std::string page;           // the id of the page that tells more; "" for none
  friend bool operator==(const TrafficDifference&, const TrafficDifference&) = default;
};

struct TrafficTable {
  std::string title;
  std::string model;
  int steps = 0;
  std::vector<std::string> leave_out;  // groups of ranks whose collectives are not counted: "tp"
  std::vector<Stack> stacks;           // with degrees, in the order of the table
  std::optional<Beside> beside = {};
  std::vector<TrafficDifference> differs = {};
  std::string file = {};  // where the table stands: "matrix/space.toml"
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
  std::vector<Stack> stacks;  // with the degrees that they are run at
  std::vector<Stack> legal_sets;
  std::vector<Case> smoke;       // with degrees; of the models of the space where none is named, of whatever engine
  std::vector<Case> by_default;  // likewise; none: everything
  std::vector<Case> versions;    // likewise
  int backend_witnesses = 0;     // most items of a witness that is run under the usual backend too
  std::vector<int> accumulations;
  std::vector<Item> optimizers;
  std::vector<int> optimizer_ranks;
  std::vector<OwnStacks> own_stacks;  // of models that are not in `models`
  std::vector<TrafficTable> traffic;
  std::vector<Case> covering;  // stacks with their microbatches
  int most_ranks = std::numeric_limits<int>::max();
  friend bool operator==(const Space&, const Space&) = default;
};

// Errors are "<path>:<line>: ...": a missing or unknown key, an unknown transform, a number below 1.
Result<Space> parse_space(std::string_view text, const std::string& path);
Result<Space> load_space(const std::filesystem::path& path);

// The space of an engine below `folder` ("matrix"). An error too when the file that it is to stand in is of other engines.
Result<Space> load_space_of(const std::string& engine, const std::filesystem::path& folder);

}  // namespace ordercheck
