#include "report/text/sharded_modes.h"

#include <fmt/format.h>

#include "base/wording.h"

namespace ordercheck {
namespace {

std::string in_words(const captured::ShardedMode& mode) {
  return fmt::format("{}{}{}", mode.by_block ? "bucket=transformer_block" : "no buckets", mode.one_ahead ? ", one ahead" : "",
                     mode.gathers_again ? "" : ", reshard=never");
}

std::string milliseconds(captured::Nanoseconds ns) { return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6); }

}  // namespace

std::string render_sharded_modes(const std::vector<captured::ShardedCost>& costs, const std::string& title,
                                 const std::string& machine, std::int64_t tokens) {
  std::vector<std::vector<std::string>> rows{
      {"mode", "gathers", "scatters", "held at peak", "computes", "sends", "waits", "a step", "tokens/s a rank"}};
  for (const captured::ShardedCost& cost : costs) {
    const captured::Timeline& line = cost.timeline;
    rows.push_back({in_words(cost.mode), fmt::format("{}", cost.gathers), fmt::format("{}", cost.scatters),
                    in_bytes(static_cast<double>(cost.held_bytes)), milliseconds(line.computing), milliseconds(line.sending),
                    milliseconds(line.exposed), milliseconds(line.step),
                    fmt::format("{:.0f}", static_cast<double>(tokens) * 1e9 / static_cast<double>(line.step))});
  }
  return fmt::format("{}, {} tokens a rank; costs of {}, computed and not measured\n", title, tokens, machine) +
         in_columns(rows);
}

}  // namespace ordercheck
