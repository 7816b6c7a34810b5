#include "record/record_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "record/record_codec.h"
#include "unit/record/samples.h"
#include "unit/report/text/sample_plan.h"

namespace ordercheck {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(GraphCodec, BringsEveryFieldBack) {
  const GraphRecord graph = full_record().graphs.at(0);
  EXPECT_EQ(graph_in(json_of(graph)), graph);
}

TEST(GraphCodec, ARecordWithAGraphThatIsNotSoundIsRefused) {
  json value = json_of(full_record());
  ASSERT_TRUE(record_of(value));
  value["graphs"][0]["view_of"] = {1, 0, -1, -1};
  const auto record = record_of(value);
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().message, HasSubstr("record: a recorded graph of 4 values"));
}

TEST(PlanCodec, IsReadAsItWasWritten) { EXPECT_EQ(plan_in(json_of(sample_plan())), sample_plan()); }

TEST(PlanCodec, ARecordKeepsItsPlans) {
  Record record = record_of(json_of(full_record())).value();
  record.plans = {sample_plan(), sample_plan()};
  const auto read = record_of(json_of(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->plans, record.plans);
}

TEST(PlanCodec, TheSchemaRefusesANodeWithoutACost) {
  Record record = record_of(json_of(full_record())).value();
  record.plans = {sample_plan()};
  nlohmann::json value = json_of(record);
  value["plans"][0]["nodes"][2].erase("run_ns");
  EXPECT_FALSE(record_of(value));
}

}  // namespace
}  // namespace ordercheck
