#include "protocol/plan_codec.h"

#include <gtest/gtest.h>

#include "protocol/record_codec.h"
#include "unit/protocol/samples.h"
#include "unit/report/text/sample_plan.h"

namespace ordercheck {
namespace {

TEST(PlanCodec, IsReadAsItWasWritten) { EXPECT_EQ(plan_in(json_of(sample_plan())), sample_plan()); }

TEST(PlanCodec, ARecordKeepsItsPlans) {
  Record record = record_of(json_of(sample_record())).value();
  record.plans = {sample_plan(), sample_plan()};
  const auto read = record_of(json_of(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->plans, record.plans);
}

TEST(PlanCodec, TheSchemaRefusesANodeWithoutACost) {
  Record record = record_of(json_of(sample_record())).value();
  record.plans = {sample_plan()};
  nlohmann::json value = json_of(record);
  value["plans"][0]["nodes"][2].erase("run_ns");
  EXPECT_FALSE(record_of(value));
}

}  // namespace
}  // namespace ordercheck
