#include "rules/known_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> cures_of(const std::string& text, const std::vector<KnownMessage>& known) {
  std::vector<std::string> cures;
  for (const KnownMessage* one : messages_in(text, known)) cures.push_back(one->cure);
  return cures;
}

std::string recomputed(const std::string& saved, const std::string& again) {
  return "CheckpointError: Recomputed values have\ndifferent metadata\nsaved metadata: {'shape': torch.Size([" + saved +
         "), 'device': device(type='cpu')}\nrecomputed metadata: {'shape': torch.Size([" + again + "), 'device': ...";
}

const std::vector<KnownMessage> kKinds{
    {.fragment = "different metadata", .also = {"[recomputed: empty]"}, .cure = "empty"},
    {.fragment = "different metadata", .also = {"[recomputed: halved]"}, .cure = "halved"},
    {.fragment = "different metadata", .also = {"[recomputed: another size]"}, .unless = {"_dynamo"}, .cure = "size"},
    {.fragment = "different metadata", .also = {"[recomputed: another dtype]"}, .cure = "dtype"},
    {.fragment = "different metadata", .cure = "any"}};

TEST(KnownMessages, AreToldApartByTheMetadataOfARecomputation) {
  EXPECT_EQ(cures_of(recomputed("8, 4]), 'dtype': torch.float32", "0]), 'dtype': torch.float32"), kKinds).front(), "empty");
  EXPECT_EQ(cures_of(recomputed("2, 8]), 'dtype': torch.float32", "2, 4]), 'dtype': torch.float32"), kKinds).front(), "halved");
  EXPECT_EQ(cures_of(recomputed("965]), 'dtype': torch.float32", "964]), 'dtype': torch.float32"), kKinds).front(), "size");
  EXPECT_EQ(cures_of(recomputed("8]), 'dtype': torch.float32", "8]), 'dtype': torch.bfloat16"), kKinds).front(), "dtype");
  EXPECT_EQ(cures_of(recomputed("8]), 'dtype': torch.float32", "8, 1]), 'dtype': torch.float32"), kKinds).front(), "any");
  EXPECT_EQ(cures_of("_dynamo " + recomputed("965]), 'dtype': torch.float32", "964]), 'dtype': torch.float32"), kKinds).front(),
            "any");
}

TEST(KnownMessages, AreFoundWhateverTheirCaseQuotesAndLineBreaks) {
  const std::vector<KnownMessage> known{{.fragment = "switching to use `NO_SHARD`", .cure = "a"}};
  EXPECT_EQ(messages_in("FSDP is SWITCHING\n  to use 'no_shard' instead", known).size(), 1u);
  EXPECT_THAT(messages_in("switching to", known), IsEmpty());
}

TEST(KnownMessages, ComeInTheOrderOfTheText) {
  const std::vector<KnownMessage> known{{.fragment = "the second", .cure = "2"}, {.fragment = "the first", .cure = "1"}};
  EXPECT_THAT(cures_of("the first, then the second", known), testing::ElementsAre("1", "2"));
}

TEST(KnownMessages, EachOfTheCatalogueFitsItsOwnWords) {
  for (const std::string name : {"pytorch", "frameworks"}) {
    const std::string path = fmt::format("{}/messages/{}.toml", ORDERCHECK_SOURCE_DIR, name);
    const auto text = read_file(path);
    ASSERT_TRUE(text);
    const auto messages = parse_messages(*text, path);
    ASSERT_TRUE(messages) << messages.error().message;
    for (const KnownMessage& one : *messages) {
      std::string words = one.fragment;
      for (const std::string& other : one.also) words += " " + other;
      EXPECT_THAT(cures_of(words, *messages), testing::Contains(one.cure)) << path << ": " << one.fragment;
    }
  }
  EXPECT_GE(known_messages().size(), 60u);
}

TEST(KnownMessages, ErrorsNameTheLine) {
  const auto messages =
      parse_messages("[[message]]\nfragment = \"a\"\nmeans = \"b\"\ncure = \"c\"\nurl = \"ftp://x\"\n", "m.toml");
  ASSERT_FALSE(messages);
  EXPECT_THAT(messages.error().message, HasSubstr("m.toml:5: "));
}

}  // namespace
}  // namespace ordercheck
