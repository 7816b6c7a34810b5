#include "ranks/arith/operators.h"

#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::ranks {
namespace {

struct EmbeddedText {
  std::string_view name, text;
};

constexpr EmbeddedText kTexts[] = {
#include "ranks/arith/operator_texts.inc"
};

void read_row(const std::vector<std::string>& cells, OperatorTable& table) {
  const std::string &name = cells[0], &overloads = cells[1], &kind = cells[2];
  if (kind == "move" || kind == "stable" || kind == "draw") {
    // Nothing that this engine trains draws in a step.
    // One row has a kernel in another engine all the same (histc of whole numbers); here the stock one is called.
    table.kept.insert(name);
  } else if (kind == "stable_real") {
    table.refused_complex.insert(name);
  } else if (kind == "random" || kind == "keyed") {
    // What this engine's models drop, they draw by ordercheck::draw_seeds.
    table.refused[name] = "draws random numbers, which differ between layouts";
  } else if (kind == "opaque") {
    table.refused[name] = kSumsInside;
  } else {
    std::set<std::string>& replaced = kind == "gpu_norm" ? table.exact_on_gpus : table.exact;
    for (const std::string& overload : split(overloads, ',')) {
      replaced.insert(overload == "default" ? name : name + "." + overload);
    }
  }
}

OperatorTable read(std::string_view text) {
  OperatorTable table;
  bool seen_columns = false;
  for (const std::string& line : split(std::string(text), '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string> cells = split(line, '\t');
    if (cells.size() != 5) throw std::runtime_error(fmt::format("operators.tsv: expected five columns in '{}'", line));
    if (seen_columns) read_row(cells, table);
    seen_columns = true;
  }
  return table;
}

}  // namespace

const OperatorTable& operator_table() {
  static const OperatorTable table = read(kTexts[0].text);
  return table;
}

}  // namespace ordercheck::ranks
