#include "cli/shared/hugging_face_config.h"

#include <gmock/gmock.h>

namespace ordercheck {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string wrong(const char* text) {
  const auto read = read_config(text, "config.json");
  EXPECT_FALSE(read) << text;
  return read ? "" : read.error().message;
}

TEST(HuggingFaceConfig, GivesTheSizesByTheNamesOfConditions) {
  const auto read = read_config(R"({"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
      "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
      "head_dim": null, "torch_dtype": "bfloat16"})",
                                "config.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sizes,
            (std::map<std::string, long long>{
                {"layers", 32}, {"dim", 4096}, {"heads", 32}, {"kv_heads", 8}, {"ffn_hidden", 14336}, {"vocab", 128256}}));
  EXPECT_THAT(read->used, Contains("kv_heads=8 (num_key_value_heads)"));
  EXPECT_THAT(read->missing, Contains("head_dim"));
  EXPECT_THAT(read->missing, Contains("experts"));
}

TEST(HuggingFaceConfig, ExpertsHaveSeveralNamesAndSizesMayStandInTheTextsOwnConfig) {
  EXPECT_EQ(read_config(R"({"n_routed_experts": 256})", "c")->sizes.at("experts"), 256);
  EXPECT_EQ(read_config(R"({"num_experts": 64})", "c")->sizes.at("experts"), 64);
  EXPECT_EQ(read_config(R"({"vision_config": {"hidden_size": 1}, "text_config": {"hidden_size": 5}})", "c")->sizes.at("dim"),
            5);
}

TEST(HuggingFaceConfig, ReadsTheKeysOfOlderFamilies) {
  const auto gpt2 = read_config(R"({"n_layer": 12, "n_head": 12, "n_embd": 768, "n_inner": null})", "c");
  ASSERT_TRUE(gpt2) << gpt2.error().message;
  EXPECT_EQ(gpt2->sizes, (std::map<std::string, long long>{{"layers", 12}, {"dim", 768}, {"heads", 12}, {"kv_heads", 12}}));
  EXPECT_THAT(gpt2->used, Contains("kv_heads=12 (as many as heads: no key says)"));
  EXPECT_EQ(read_config(R"({"num_layers": 6, "num_heads": 8, "d_model": 512, "d_kv": 64})", "t5")->sizes.at("head_dim"), 64);
  EXPECT_EQ(read_config(R"({"num_attention_heads": 71, "multi_query": true})", "falcon")->sizes.at("kv_heads"), 1);
  EXPECT_EQ(read_config(R"({"n_heads": 32, "n_kv_heads": 8, "dim": 4096})", "llama")->sizes.at("kv_heads"), 8);
}

TEST(HuggingFaceConfig, SaysWhetherTheOutputHasTheWeightOfTheEmbedding) {
  const auto tied = read_config(R"({"hidden_size": 5, "tie_word_embeddings": true})", "c");
  EXPECT_EQ(tied->sizes.at("tied"), 1);
  EXPECT_THAT(tied->used, Contains("tied=1 (tie_word_embeddings)"));
  EXPECT_EQ(read_config(R"({"hidden_size": 5, "tie_word_embeddings": false})", "c")->sizes.at("tied"), 0);
  EXPECT_FALSE(read_config(R"({"hidden_size": 5, "tie_word_embeddings": "yes"})", "c")->sizes.contains("tied"));
}

TEST(HuggingFaceConfig, WhatIsNoneIsToldInOneLine) {
  EXPECT_EQ(wrong("[1]"), "config.json: expected a JSON object, the config.json of a Hugging Face model, got array");
  EXPECT_EQ(wrong("{"), "config.json: expected a JSON object, the config.json of a Hugging Face model, got no JSON");
  EXPECT_THAT(wrong("{}"), HasSubstr("without any of its sizes: layers (num_hidden_layers or n_layer"));
  for (const char* value : {"\"32\"", "0", "-1", "3.5", "true", "[\n]", "1e30"})
    EXPECT_THAT(wrong((std::string("{\"hidden_size\": ") + value + "}").c_str()),
                testing::AllOf(HasSubstr("config.json: hidden_size: expected a positive integer, got "), Not(HasSubstr("\n"))));
}

}  // namespace
}  // namespace ordercheck
