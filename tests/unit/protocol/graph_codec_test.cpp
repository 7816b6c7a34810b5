#include "protocol/graph_codec.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "protocol/record_codec.h"
#include "unit/protocol/samples.h"

namespace ordercheck {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(GraphCodec, BringsEveryFieldBack) {
  const GraphRecord graph = sample_record().graphs.at(0);
  EXPECT_EQ(graph_in(json_of(graph)), graph);
}

TEST(GraphCodec, ARecordWithAGraphThatIsNotSoundIsRefused) {
  json value = json_of(sample_record());
  ASSERT_TRUE(record_of(value));
  value["graphs"][0]["view_of"] = {1, 0, -1, -1};
  const auto record = record_of(value);
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().message, HasSubstr("record: a recorded graph of 4 values"));
}

}  // namespace
}  // namespace ordercheck
