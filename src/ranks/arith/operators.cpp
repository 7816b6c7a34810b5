#include "ranks/arith/operators.h"

#include <string_view>

#include "base/text.h"
#include <fmt/format.h>

namespace ordercheck::ranks {
namespace {

struct EmbeddedText {
  std::string_view name, text;
};

constexpr EmbeddedText kTexts[] = {
#include "arith/operator_texts.inc"
};

OperatorTable read(std::string_view text) {
  OperatorTable table;
  std::vector<std::string> lines = split(std::string(text), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {  // the first names the columns
    if (lines[i].empty()) continue;
    const std::vector<std::string> cells = split(lines[i], '\t');
    if (cells.size() < 2) throw std::runtime_error(fmt::format("operators.tsv:{}: expected operator, class, grid, why", i + 1));
    (cells[1] == "move" || cells[1] == "stable" ? table.harmless : table.exact).insert(cells[0]);
  }
  return table;
}

}  // namespace

const OperatorTable& operator_table() {
  static const OperatorTable table = read(kTexts[0].text);
  return table;
}

}  // namespace ordercheck::ranks
