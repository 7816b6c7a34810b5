// A small checkout: three invented rules, two invented orders and an invented table of evidence.
#pragma once

#include <gtest/gtest.h>

#include "report/observed.h"
#include "report/sources.h"

namespace ordercheck {

inline std::filesystem::path mini_folder() { return ORDERCHECK_SOURCE_DIR "/tests/data/mini"; }

inline Sources mini() {
  const auto sources = load_sources(mini_folder());
  EXPECT_TRUE(sources) << (sources ? "" : sources.error().message);
  return sources ? *sources : Sources{};
}

// The same without a run.
inline Sources mini_unrun() {
  Sources sources = mini();
  sources.evidence.clear();
  sources.observations.clear();
  return sources;
}

}  // namespace ordercheck
