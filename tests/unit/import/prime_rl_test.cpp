#include <gtest/gtest.h>

#include "import/formats.h"
#include "unit/import/shown_import.h"

namespace ordercheck {
namespace {

TEST(PrimeRl, ReadsTheModelOfTheTrainer) {
  EXPECT_EQ(shown_import("[deployment]\n"
                         "num_train_gpus = 8\n"
                         "[trainer.model]\n"
                         "cp = 2\n"
                         "dp_replicate = 2\n"
                         "ep = 2\n"
                         "ac_offloading = \"None\"\n"
                         "[trainer.model.ac]\n"
                         "freq = 2\n"
                         "[trainer.model.compile]\n"
                         "fullgraph = true\n"),
            "ep=2,ac=selective:n=2:preserve_rng_state=off,compile:fullgraph,hsdp=2x2:reshard=always:mp=bf16,cp=2:ring\n"
            "  ep=2 f:6\n"
            "  ac=selective:n=2:preserve_rng_state=off f:9\n"
            "  compile:fullgraph f:11\n"
            "  hsdp=2x2:reshard=always:mp=bf16 f:2\n"
            "  cp=2:ring f:4\n"
            "  ranks=8\n");
}

TEST(PrimeRl, AnEmptyTableHasTheDefaultsAndNoneHasNot) {
  const std::string model = "[deployment]\nnum_train_gpus = 8\n[trainer.model]\nac_offloading = \"None\"\n";
  EXPECT_EQ(shown_import(model + "[trainer.model.compile]\n[trainer.model.ac]\n"),
            "ac:preserve_rng_state=off,compile,fsdp=8:reshard=always:mp=bf16\n"
            "  ac:preserve_rng_state=off f:6\n"
            "  compile f:5\n"
            "  fsdp=8:reshard=always:mp=bf16 f:2\n"
            "  ranks=8\n");
  EXPECT_EQ(shown_import(model + "compile = \"None\"\nac = \"None\"\n"),
            "fsdp=8:reshard=always:mp=bf16\n"
            "  fsdp=8:reshard=always:mp=bf16 f:2\n"
            "  ranks=8\n");
}

TEST(PrimeRl, GuessesNothing) {
  EXPECT_EQ(
      shown_import("[trainer.model]\n"
                   "compile = \"None\"\n"
                   "ep = \"auto\"\n"
                   "dp_shards = 2\n"
                   "cp = 2\n"
                   "cp_style = \"ulysses\"\n"
                   "ac_offloading = \"None\"\n"
                   "[trainer.model.ac]\n"
                   "mode = \"selective\"\n"),
      "fsdp:reshard=always:mp=bf16\n"
      "  fsdp:reshard=always:mp=bf16 f\n"
      "? f:3 model.ep: auto: how many ranks hold the experts is up to the model and the machine\n"
      "? f:4 model.dp_shards: 2: a key that ordercheck does not know\n"
      "? f:6 model.cp_style: ulysses: cp has no exchange like Ulysses' all-to-all\n"
      "? f:9 model.ac.mode: selective: parts of a block that targets name are checkpointed; ac is of whole blocks, sac of "
      "operators\n");
}

}  // namespace
}  // namespace ordercheck
