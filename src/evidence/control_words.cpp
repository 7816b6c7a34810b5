#include "evidence/control_words.h"

#include <fmt/format.h>

#include "base/wording.h"

namespace ordercheck {

std::string plain_arithmetic_in_words(long long differ, long long completed) {
  return fmt::format("{} of {} {} from the single-rank reference without the grid", differ, counted(completed, "legal layout"),
                     differ == 1 ? "differs" : "differ");
}

}  // namespace ordercheck
