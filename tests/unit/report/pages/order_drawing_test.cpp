#include "report/pages/order_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/report/pages/mini.h"

namespace ordercheck {
namespace {

using testing::ElementsAre;

TEST(OrderDrawing, SaysWhatTheOtherOrderShowed) {
  const Sources sources = mini_on_pytorch();
  EXPECT_THAT(draw_order({"tp", "ac", "fsdp"}, sources, engine_runs_of(sources)).lines,
              ElementsAre("tp -->|fails loudly| fsdp; tp --- ac --- fsdp; linkStyle 0 stroke:#0969da,stroke-width:2px",
                          "linkStyle 1,2 stroke:#8c959f,stroke-width:2px,stroke-dasharray:7"));
}

TEST(OrderDrawing, TellsNotRunFromNoDifference) {
  const Sources sources = mini();
  EXPECT_THAT(draw_order({"tp", "ac"}, sources, engine_runs_of(sources)).lines,
              ElementsAre("tp --- ac; linkStyle 0 stroke:#8c959f,stroke-width:2px,stroke-dasharray:2"));
}

}  // namespace
}  // namespace ordercheck
