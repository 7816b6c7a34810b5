#include "native/arith/operators.h"

#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace ordercheck::ranks {
namespace {

struct EmbeddedText {
  std::string_view name, text;
};

constexpr EmbeddedText kTexts[] = {
#include "native/arith/operator_texts.inc"
};

void read_row(const std::vector<std::string>& cells, OperatorTable& table) {
  const std::string &name = cells[0], &overloads = cells[1], &kind = cells[2];
  if (kind == "move" || kind == "stable" || kind == "draw") {
    // These run their stock kernels: they move numbers or round each by itself. So do those of kind `draw`, because this
    // engine's training steps do not use them. One of these (histc of integers) has an exact kernel in another engine.
    table.kept.insert(name);
  } else if (kind == "stable_real") {
    table.refused_complex.insert(name);
  } else if (kind == "random" || kind == "keyed") {
    // Dropout in this engine's models draws through ordercheck::draw_seeds instead.
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
    // The first row names the columns.
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
