#include "parity/divergence.h"

#include <fmt/format.h>

#include "base/wording.h"

namespace ordercheck {

std::string in_words(const Divergence& d) {
  const std::string place =
      fmt::format("{} of step {}, {}", d.module.empty() ? "the model" : d.module, d.step, name_of(d.phase));
  if (d.owed_shape != d.got_shape)
    return fmt::format("{}: [{}], expected [{}]", place, fmt::join(d.got_shape, ", "), fmt::join(d.owed_shape, ", "));
  const std::string numbers = counted(d.elements, "number");
  if (d.ulp == UINT64_MAX) return fmt::format("{}: {} of {}, NaN or infinity among them", place, d.differing, numbers);
  constexpr std::uint64_t kFew = 1'000'000;  // more say nothing that the distance does not
  const std::string ulp = d.ulp > kFew ? "" : fmt::format(" ({} ULP)", d.ulp);
  return fmt::format("{}: {}, {} of {} differ by up to {:.3g}{}", place, magnitudes_of(d), d.differing, numbers, d.apart, ulp);
}

std::string magnitudes_of(const Divergence& d) {
  const auto [got, owed] = in_decimals(d.got_largest, d.owed_largest);
  const char* name = d.phase == Phase::backward ? "max |grad|" : "max |value|";
  return fmt::format("{} {} against {}", name, got, owed);
}

}  // namespace ordercheck
