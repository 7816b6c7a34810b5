// Trained on one mesh, and on from there on another: each rank hands out the pieces that it has and is handed those that it is to have,
// as distributed checkpoints are resharded. Three meshes one after another compute what one rank computes in as many steps.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "native/module/placement.h"
#include "ranks/on_program.h"

namespace ordercheck::ranks {
namespace {

// Read by the transform below: a transform's function carries nothing.
const WholeParameters* loaded = nullptr;

// Behind all wrappers, as a trainer loads a checkpoint; then the optimizer.
void load_and_make_optimizer(TrainingProgram& program, const Item& item, const Site& site) {
  const at::NoGradGuard no_grad;
  for (const ModulePtr& part : program.parts)
    for (const NamedParameter& named : parameters_of(part)) {
      at::Tensor piece = named.parameter->tensor.detach();
      if (loaded) piece.copy_(local_piece(loaded->at(named.name), named.parameter->placements, site.mesh, site.rank));
    }
  find_transform_of_engine("optimizer")->apply(program, item, site);
}

const Transform* loading(const std::string& name) {
  static const Transform load{.built = find_transform_of_engine("optimizer")->built, .apply = load_and_make_optimizer};
  return name == "optimizer" ? &load : find_transform_of_engine(name);
}

// Trains from a checkpoint, or from initial values for null, and takes the next one.
WholeParameters trained(const std::string& text, const WholeParameters* from) {
  loaded = from;
  const std::vector<RankResult> results = run_program(text, loading);
  for (const RankResult& result : results)
    for (const CollectiveCount& sent : result.collectives)
      EXPECT_NE(sent.phase, Phase::apply) << text << " sends " << sent.kind << " to load a checkpoint";
  return whole_parameters(text, results);
}

WholeParameters through(const std::vector<std::string>& meshes) {
  WholeParameters at;
  for (const std::string& text : meshes) at = trained(text, at.empty() ? nullptr : &at);
  return at;
}

TEST(Checkpoint, B27IsReshapedFromMeshToMesh) {
  const WholeParameters owed = through(std::vector<std::string>(3, "optimizer=sgd"));
  for (const std::vector<std::string>& meshes :
       {std::vector<std::string>{"simple_fsdp=4,optimizer=sgd", "tp=2,simple_fsdp=2,optimizer=sgd", "tp=4,optimizer=sgd"},
        {"fsdp=4,optimizer=sgd", "tp=2,fsdp=2,optimizer=sgd", "tp=4,optimizer=sgd"},
        {"fsdp=3,optimizer=sgd", "simple_hsdp=2x2,compile@model,optimizer=sgd", "simple_fsdp=5,optimizer=sgd"},
        {"tp=2,optimizer=sgd", "simple_replicate=2,optimizer=sgd", "tp=2,ac,simple_fsdp=2,compile@model,optimizer=sgd"}})
    EXPECT_EQ(first_that_differs(owed, through(meshes)), "") << testing::PrintToString(meshes);
}

// The hostile twin: pieces of a dim that two axes split, put together in the other order.
TEST(Checkpoint, PiecesInAnotherOrderAreSeen) {
  const WholeParameters owed = through({"optimizer=sgd", "optimizer=sgd"});
  WholeParameters at = trained("tp=2,fsdp=2,optimizer=sgd", nullptr);
  EXPECT_EQ(first_that_differs(owed, trained("optimizer=sgd", &at)), "");
  at::Tensor& split_twice = at.at("layers.0.attention.wq.weight");
  const auto parts = split_twice.chunk(4);
  split_twice = at::cat({parts[0], parts[2], parts[1], parts[3]});
  EXPECT_NE(first_that_differs(owed, trained("optimizer=sgd", &at)), "");
}

}  // namespace
}  // namespace ordercheck::ranks
