#include "importer/schedules.h"

#include <array>

#include "base/text.h"

namespace ordercheck {
namespace {

struct Schedule {
  std::string_view name, option;
};
constexpr std::array<Schedule, 6> kSchedules{{{"gpipe", ":gpipe"},
                                              {"1f1b", ":1f1b"},
                                              {"interleaved1f1b", ":interleaved"},
                                              {"interleavedzerobubble", ":zero_bubble"},
                                              {"zbvzerobubble", ":zbv"},
                                              {"dualpipev", ":dualpipev"}}};

}  // namespace

std::string schedule_option(std::string_view name) {
  const std::string small = lower(name);
  for (const Schedule& one : kSchedules)
    if (one.name == small) return std::string(one.option);
  return "";
}

}  // namespace ordercheck
