#include "cli/shared/fault.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::cli {
namespace {

const std::vector<std::string> kKinds{"crash", "hang", "throw", "slow", "nonsense", "exit", "skip_collective", "wrong_shape"};

}  // namespace

Result<Fault> parse_fault(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() < 3 || parts.size() > 4)
    return Error{fmt::format("fault '{}' is not kind:rank:module[:phase|:sequence]", one_line(text))};
  if (!contains(kKinds, parts[0]))
    return Error{fmt::format("fault '{}' is none of {}", one_line(parts[0]), join(kKinds, ", "))};
  const auto rank = parse_integer(parts[1]);
  if (!rank || *rank < 0 || *rank > std::numeric_limits<int>::max())
    return Error{fmt::format("fault '{}': '{}' is no rank", one_line(text), one_line(parts[1]))};
  Fault fault{.kind = parts[0], .rank = static_cast<int>(*rank), .module = parts[2]};
  if (parts.size() == 3) return fault;
  if (const auto phase = find_named<Phase>(parts[3]))
    fault.phase = *phase;
  else if (const auto sequence = parse_integer(parts[3]); sequence && *sequence >= 0)
    fault.sequence = *sequence;
  else
    return Error{fmt::format("fault '{}': '{}' is neither a phase nor a sequence number", one_line(text), one_line(parts[3]))};
  return fault;
}

}  // namespace ordercheck::cli
