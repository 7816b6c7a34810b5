#include "report/ci/slurm_script.h"

#include <map>

#include <fmt/format.h>

#include "base/wording.h"
#include "stack/mesh.h"

namespace ordercheck {
namespace {

constexpr const char* kHead = R"(#!/usr/bin/env bash
#SBATCH --job-name=ordercheck
#SBATCH --ntasks={ranks}
#SBATCH --time=01:00:00
# {cases}, a step for each number of ranks, as `ordercheck matrix plan --format slurm` printed them. The file is given to sbatch as it is.
# ORDERCHECK_RANKS says where ordercheck-ranks is, where it is not on PATH. It must be on every node.
{left_out}set -u

# launch RANKS: the cases are on stdin. 1 and 3 are for the merge to judge.
launch() {{
  local code=0
  cat >"launched-$1.cases"
  srun --ntasks="$1" "${{ORDERCHECK_RANKS:-ordercheck-ranks}}" --env --case "launched-$1.cases" --record "launched-$1.tsv" || code=$?
  [[ $code == 0 || $code == 1 || $code == 3 ]] || exit "$code"
  records+=("launched-$1.tsv")
}}
records=()

)";

}  // namespace

std::string render_slurm_script(const std::vector<Case>& cases) {
  std::map<int, std::vector<std::string>> by_ranks;
  std::size_t left_out = 0, kept = 0;
  for (const Case& c : cases) {
    if (c.settings.arithmetic == Arithmetic::float32) {
      ++left_out;
      continue;
    }
    ++kept;
    by_ranks[world_size(mesh_of(c.stack))].push_back(print(c));
  }
  const int most = by_ranks.empty() ? 1 : by_ranks.rbegin()->first;
  std::string text = fmt::format(
      fmt::runtime(kHead), fmt::arg("ranks", most), fmt::arg("cases", counted(static_cast<std::int64_t>(kept), "case")),
      fmt::arg("left_out", left_out == 0
                               ? ""
                               : fmt::format("# Left out: {} in float32 arithmetic, which `ordercheck matrix run` runs.\n",
                                             counted(static_cast<std::int64_t>(left_out), "case"))));
  for (const auto& [ranks, texts] : by_ranks) {
    text += fmt::format("launch {} <<'CASES'\n", ranks);
    for (const std::string& one : texts) text += one + "\n";
    text += "CASES\n";
  }
  return text + "ordercheck matrix merge \"${records[@]}\" --out launched.tsv\n";
}

}  // namespace ordercheck
