#include "report/ci/slurm_script.h"

#include <gmock/gmock.h>

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<Case> cases_of(const std::vector<std::string>& texts) {
  std::vector<Case> cases;
  for (const std::string& text : texts) cases.push_back(*parse_case(text));
  return cases;
}

TEST(SlurmScript, HasAStepForEachNumberOfRanks) {
  const std::string script = render_slurm_script(cases_of({"fsdp=2", "tp=2,fsdp=2", "tp=2", "ac"}));
  EXPECT_THAT(script, HasSubstr("#SBATCH --ntasks=4\n"));
  EXPECT_THAT(script, HasSubstr("# 4 cases, a step"));
  EXPECT_THAT(
      script,
      HasSubstr(
          "launch 1 <<'CASES'\nac\nCASES\nlaunch 2 <<'CASES'\nfsdp=2\ntp=2\nCASES\nlaunch 4 <<'CASES'\ntp=2,fsdp=2\nCASES\n"));
  EXPECT_THAT(script, Not(HasSubstr("Left out")));
}

TEST(SlurmScript, CountsWhatIsLeftOut) {
  const std::string script = render_slurm_script(cases_of({"fsdp=2", "fsdp=2 arithmetic=float32"}));
  EXPECT_THAT(script, HasSubstr("# Left out: 1 case in float32 arithmetic"));
  EXPECT_THAT(script, Not(HasSubstr("arithmetic=float32")));
}

}  // namespace
}  // namespace ordercheck
