// Mixed precision of data parallelism whose collectives are in the graph: what is sent in which dtype, and that it computes what the
// hooks of FSDP2 compute.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

std::string in_float32(const std::string& text) { return text + " arithmetic=float32"; }

std::int64_t sent(const Record& record, const std::string& kind) {
  std::int64_t bytes = 0;
  for (const CollectiveCount& c : record.collectives)
    if (c.kind == kind && c.phase != Phase::observe && c.phase != Phase::optimizer) bytes += c.bytes;
  return bytes;
}

std::int64_t count(const Record& record, const std::string& kind) {
  std::int64_t number = 0;
  for (const CollectiveCount& c : record.collectives)
    if (c.kind == kind && c.phase != Phase::observe && c.phase != Phase::optimizer) number += c.count;
  return number;
}

// Half of the bytes go out, and all of them come back: param_dtype and reduce_dtype.
TEST(GraphMixedPrecision, B3GathersInTheDtypeOfUseAndReducesInThatOfTheParameter) {
  for (const auto& [text, as_kept] : {std::pair{"simple_fsdp=2:mp=bf16", "simple_fsdp=2"},
                                      {"simple_hsdp=2x2:mp=bf16", "simple_hsdp=2x2"},
                                      {"simple_replicate=2:mp=bf16", "simple_replicate=2"}}) {
    const Record &cast = known(in_float32(text)), &kept = known(in_float32(as_kept));
    ASSERT_EQ(cast.ending, Ending::completed) << text << ": " << (cast.failure ? cast.failure->message : "");
    EXPECT_EQ(2 * sent(cast, "all_gather"), sent(kept, "all_gather")) << text;
    EXPECT_EQ(sent(cast, "reduce_scatter"), sent(kept, "reduce_scatter")) << text;
    EXPECT_EQ(sent(cast, "all_reduce"), sent(kept, "all_reduce")) << text;
    EXPECT_TRUE(first_difference(kept, cast)) << text << " changes no number";
  }
}

TEST(GraphMixedPrecision, GivesTheBitsOfFsdp2) {
  for (const auto& [graph, hooks] : {std::pair{"simple_fsdp=2:mp=bf16", "fsdp=2:mp=bf16"},
                                     {"simple_fsdp=4:mp=fp16", "fsdp=4:mp=fp16"},
                                     {"simple_fsdp=2:mp=bf16,compile@model", "fsdp=2:mp=bf16"},
                                     {"tp=2,ac,simple_fsdp=2:mp=bf16,compile@model", "tp=2,ac,fsdp=2:mp=bf16"},
                                     {"simple_hsdp=2x2:mp=bf16", "hsdp=2x2:mp=bf16"},
                                     {"simple_fsdp=1:mp=bf16", "fsdp=1:mp=bf16"}}) {
    const auto difference = first_difference(known(in_float32(hooks)), known(in_float32(graph)));
    EXPECT_FALSE(difference) << graph << ": " << in_words(*difference);
  }
}

// Whatever one rank holds, it computes in the dtype that is asked for.
TEST(GraphMixedPrecision, B3CastsOverOneRank) {
  for (const char* text : {"simple_fsdp=1:mp=bf16", "simple_replicate=1:mp=bf16"})
    EXPECT_TRUE(first_difference(known(in_float32("(nothing)")), known(in_float32(text)))) << text;
}

TEST(GraphMixedPrecision, NoModeOfBucketsChangesABit) {
  const Record& apart = known(in_float32("simple_fsdp=2:mp=bf16,compile@model"));
  for (const char* text : {"simple_fsdp=2:bucket=transformer_block:mp=bf16,compile@model",
                           "simple_fsdp=2:bucket=manual:bucket_modules=layers.0+norm:mp=bf16,compile@model",
                           "simple_fsdp=2:bucket=auto:mp=bf16,compile@model"}) {
    const Record& bucketed = known(in_float32(text));
    const auto difference = first_difference(apart, bucketed);
    EXPECT_FALSE(difference) << text << ": " << in_words(*difference);
    EXPECT_EQ(sent(bucketed, "all_gather"), sent(apart, "all_gather")) << text;
    EXPECT_LT(count(bucketed, "all_gather"), count(apart, "all_gather")) << text;
  }
}

// A parameter, its cast, its gather; and a gradient's cast before its reduce-scatter, with nothing behind the wait but the parameter.
TEST(GraphMixedPrecision, B3CastsBesideTheCollectivesOfAGraph) {
  at::set_num_threads(1);
  install_saved_tensor_hooks();
  const Record record =
      run_case({.subject = case_of(in_float32("simple_fsdp=2:mp=bf16,compile@model")), .keep = Keep::graphs}, nullptr, {});
  ASSERT_EQ(record.graphs.size(), 1u);
  const GraphRecord& graph = record.graphs[0];
  std::map<int, const GraphNodeRecord*> makers;
  for (const GraphNodeRecord& node : graph.nodes)
    for (const int made : node.results) makers[made] = &node;
  int gathers = 0, scatters = 0;
  for (const GraphNodeRecord& node : graph.nodes) {
    if (node.op != "_c10d_functional::all_gather_into_tensor" && node.op != "_c10d_functional::reduce_scatter_tensor") continue;
    const bool gathers_it = node.op == "_c10d_functional::all_gather_into_tensor";
    (gathers_it ? gathers : scatters) += 1;
    const GraphNodeRecord& cast = *makers.at(node.operands.at(0));
    ASSERT_EQ(cast.op, "aten::_to_copy") << node.op;
    if (gathers_it) {
      EXPECT_TRUE(std::ranges::count(graph.parameters, cast.operands.at(0))) << cast.arguments;
      EXPECT_EQ(cast.recomputed, node.recomputed);
    }
  }
  EXPECT_GT(gathers, 0);
  EXPECT_GT(scatters, 0);
}

}  // namespace
}  // namespace ordercheck::ranks
