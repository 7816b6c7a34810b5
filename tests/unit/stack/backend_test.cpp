#include "stack/backend.h"

#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

TEST(Backend, IsNamedWhereItWasLeftOpen) {
  EXPECT_EQ(print(under_usual_backend(*parse_stack("compile:wrap@model,compile=aot_eager,sac"))),
            "compile=inductor:wrap@model,compile=aot_eager,sac");
  EXPECT_EQ(print(without_backend(*parse_stack("compile=aot_eager:wrap,sac"))), "compile:wrap,sac");
  EXPECT_TRUE(names_usual_backend(*parse_stack("tp=2,compile=inductor")));
  EXPECT_FALSE(names_usual_backend(*parse_stack("tp=2,compile")));
}

}  // namespace
}  // namespace ordercheck
