#include "record/difference.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/wording.h"

namespace ordercheck {
namespace {

// The reference's value for a rank: that of the same rank, or of rank 0 if the runs have different numbers of ranks.
const Bits64& like_of(const std::vector<Bits64>& expected, std::size_t rank, std::size_t ranks) {
  return expected[expected.size() == ranks ? rank : 0];
}

std::optional<Difference> numbers_differ(const char* what, int step, const std::vector<Bits64>& expected,
                                         const std::vector<Bits64>& got) {
  if (expected.empty() != got.empty())
    return Difference{.what = std::string("number of ranks that know the ") + what,
                      .step = step,
                      .expected = std::to_string(expected.size()),
                      .got = std::to_string(got.size())};
  for (std::size_t rank = 0; rank < got.size(); ++rank) {
    const Bits64& owed = like_of(expected, rank, got.size());
    if (got[rank] != owed)
      return Difference{
          .what = what, .step = step, .rank = static_cast<int>(rank), .expected = hex(owed), .got = hex(got[rank])};
  }
  return std::nullopt;
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// Reports a difference in the number of steps or the names and shapes of tensors; nullopt if they agree. Values are compared
// only then.
std::optional<Difference> outlines_differ(const Record& expected, const Record& got) {
  if (expected.steps.size() != got.steps.size())
    return Difference{
        .what = "number of steps", .expected = std::to_string(expected.steps.size()), .got = std::to_string(got.steps.size())};
  if (expected.parameters.size() != got.parameters.size())
    return Difference{.what = "number of parameters",
                      .expected = std::to_string(expected.parameters.size()),
                      .got = std::to_string(got.parameters.size())};
  for (std::size_t i = 0; i < got.parameters.size(); ++i) {
    const auto& a = expected.parameters[i];
    const auto& b = got.parameters[i];
    if (a.name != b.name) return Difference{.what = fmt::format("name of parameter {}", i), .expected = a.name, .got = b.name};
    if (a.shape != b.shape)
      return Difference{.what = "shape of " + a.name, .expected = shape_text(a.shape), .got = shape_text(b.shape)};
    if (a.gradient.size() != b.gradient.size())
      return Difference{.what = "number of gradients of " + a.name,
                        .expected = std::to_string(a.gradient.size()),
                        .got = std::to_string(b.gradient.size())};
  }
  return std::nullopt;
}

std::optional<Difference> gradients_differ(int step, const Record& expected, const Record& got) {
  for (std::size_t i = 0; i < got.parameters.size(); ++i) {
    const auto& a = expected.parameters[i];
    const auto& b = got.parameters[i];
    const auto s = static_cast<std::size_t>(step);
    if (s < b.gradient.size() && a.gradient[s] != b.gradient[s])
      return Difference{
          .what = "gradient of " + b.name, .step = step, .expected = hex(a.gradient[s]), .got = hex(b.gradient[s])};
  }
  return std::nullopt;
}

std::optional<Difference> buffers_differ(int steps, const Record& expected, const Record& got) {
  if (expected.buffers.size() != got.buffers.size())
    return Difference{.what = "number of buffers",
                      .expected = std::to_string(expected.buffers.size()),
                      .got = std::to_string(got.buffers.size())};
  for (std::size_t i = 0; i < got.buffers.size(); ++i) {
    const BufferRecord &a = expected.buffers[i], &b = got.buffers[i];
    if (a.name != b.name) return Difference{.what = fmt::format("name of buffer {}", i), .expected = a.name, .got = b.name};
    // Rank-local buffers may differ.
    if (!a.local && !b.local && a.value != b.value)
      return Difference{.what = "buffer " + b.name, .step = steps, .expected = hex(a.value), .got = hex(b.value)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> first_difference(const Record& expected, const Record& got) {
  assert(expected.ending == Ending::completed && got.ending == Ending::completed);
  if (auto difference = outlines_differ(expected, got)) return difference;
  const int steps = static_cast<int>(got.steps.size());
  for (int step = 0; step < steps; ++step) {
    const auto& a = expected.steps[static_cast<std::size_t>(step)];
    const auto& b = got.steps[static_cast<std::size_t>(step)];
    if (auto difference = numbers_differ("loss", step, a.loss, b.loss)) return difference;
    if (auto difference = gradients_differ(step, expected, got)) return difference;
    if (auto difference = numbers_differ("gradient norm", step, a.gradient_norm, b.gradient_norm)) return difference;
  }
  for (std::size_t i = 0; i < got.parameters.size(); ++i) {
    const auto& a = expected.parameters[i];
    const auto& b = got.parameters[i];
    if (a.value != b.value)
      return Difference{.what = "parameter " + b.name, .step = steps, .expected = hex(a.value), .got = hex(b.value)};
  }
  return buffers_differ(steps, expected, got);
}

std::string extent_of_difference(const Record& expected, const Record& got) {
  if (auto difference = outlines_differ(expected, got))
    return fmt::format("{}: {} against {}", difference->what, difference->expected, difference->got);
  std::size_t gradients = 0, values = 0;
  for (std::size_t i = 0; i < got.parameters.size(); ++i) {
    gradients += expected.parameters[i].gradient != got.parameters[i].gradient;
    values += expected.parameters[i].value != got.parameters[i].value;
  }
  const auto all = got.parameters.size();
  return fmt::format("{} of {} gradients, {} of {} parameters", gradients, all, values, all);
}

Difference difference_of(const Held& held) {
  const Away& away = held.away;
  const std::string of =
      away.name.empty() ? "" : fmt::format("{}{}", away.kind == Measured::gradient ? " of " : " ", away.name);
  return {.what = name_of(away.kind) + of,
          .step = away.step,
          .expected = fmt::format("within {:.1e} of a float64 single-rank run", held.floor),
          .got = fmt::format("{:.1e} away", distance_of(away))};
}

std::string in_words(const Divergence& d) {
  const std::string place =
      fmt::format("{} of step {}, {}", d.module.empty() ? "the model" : d.module, d.step, name_of(d.phase));
  if (d.owed_shape != d.got_shape)
    return fmt::format("{}: [{}], expected [{}]", place, fmt::join(d.got_shape, ", "), fmt::join(d.owed_shape, ", "));
  const std::string numbers = counted(d.elements, "number");
  if (d.ulp == UINT64_MAX) return fmt::format("{}: {} of {}, NaN or infinity among them", place, d.differing, numbers);
  constexpr std::uint64_t kFew = 1'000'000;  // beyond this, ULPs add nothing to the distance
  const std::string ulp = d.ulp > kFew ? "" : fmt::format(" ({} ULP)", d.ulp);
  return fmt::format("{}: {}, {} of {} differ by up to {:.3g}{}", place, magnitudes_of(d), d.differing, numbers, d.apart, ulp);
}

std::string magnitudes_of(const Divergence& d) {
  const auto [got, owed] = in_decimals(d.got_largest, d.owed_largest);
  const char* name = d.phase == Phase::backward ? "max |grad|" : "max |value|";
  return fmt::format("{} {} against {}", name, got, owed);
}

}  // namespace ordercheck
