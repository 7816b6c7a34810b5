#include "cli/shared/question.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck::cli {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class WrittenStackTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ordercheck-written-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

constexpr const char* kAccelerate = "distributed_type: FSDP\nfsdp_config: {fsdp_version: 2}\nnum_processes: 8\n";

TEST_F(WrittenStackTest, IsReadOfAFile) {
  const std::string path = file("train.yaml", kAccelerate);
  const auto written = stack_written(path);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(print(written->stack), "fsdp=8");
  EXPECT_EQ(written->stack.items[0].origin.file, path);
  EXPECT_EQ(with_stated(Job({}, {}), *written->imported).ranks, 8);
  EXPECT_EQ(with_stated(Job(4, {}), *written->imported).ranks, 4);
}

TEST_F(WrittenStackTest, IsTheNotationWhateverFilesThereAre) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  file("ac", kAccelerate);
  const auto written = stack_written("ac");
  fs::current_path(before);
  ASSERT_TRUE(written);
  EXPECT_EQ(print(written->stack), "ac");
  EXPECT_FALSE(written->imported);
}

TEST_F(WrittenStackTest, OfNoFileSaysThatThereIsNone) {
  EXPECT_THAT(stack_written("no.yaml").error().message, HasSubstr("there is no file no.yaml"));
}

TEST_F(WrittenStackTest, ReadsTheFileThatIsNamedBesideIt) {
  file("z.json", "{\"zero_optimization\": {\"stage\": 3}}");
  const auto written = stack_written(file("a.yaml", "base_model: m\ndeepspeed: z.json\n"));
  ASSERT_TRUE(written);
  EXPECT_EQ(print(written->stack), "fsdp:reshard=always");
}

TEST_F(WrittenStackTest, RefusesWhatIsNoFileOfAConfiguration) {
  EXPECT_THAT(import_file(folder_.string()).error().message,
              EndsWith(": training code; ordercheck scan prints its order, and ordercheck check judges it"));
  EXPECT_EQ(import_file("/dev/zero").error().message, "there is no file /dev/zero");
  const std::string large = file("large.yaml", "");
  fs::resize_file(large, kLargestImport + 1);
  EXPECT_EQ(import_file(large).error().message, large + ": larger than 8388608 bytes; expected a configuration");
}

TEST_F(WrittenStackTest, StatesSizesThatTheJobKnows) {
  const std::string path =
      file("run.sh",
           "#!/bin/bash\nrun --tensor-model-parallel-size 2 --num-layers 4 --hidden-size 8 --ffn-hidden-size 16 "
           "--num-attention-heads 4 --num-query-groups 2 --kv-channels 2 --seq-length 32 --num-experts 8 "
           "--untie-embeddings-and-output-weights\n");
  const auto written = stack_written(path);
  ASSERT_TRUE(written);
  const Job job = with_stated(Job({}, {{"heads", 8}}), *written->imported);
  EXPECT_EQ(job.sizes, (Sizes{{"dim", 8},
                              {"experts", 8},
                              {"ffn_hidden", 16},
                              {"head_dim", 2},
                              {"heads", 8},
                              {"kv_heads", 2},
                              {"layers", 4},
                              {"sequence_length", 32},
                              {"tied", 0}}));
  for (const auto& [name, size] : job.sizes)
    EXPECT_TRUE(std::ranges::count(model_size_names(), name) + std::ranges::count(step_size_names(), name) == 1) << name;
}

}  // namespace
}  // namespace ordercheck::cli
