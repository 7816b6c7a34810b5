#include "import/shell_settings.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

std::string lines_of(const SettingList& settings) {
  std::string shown;
  for (const Setting& one : settings) shown += std::to_string(one.where.line) + " " + one.key + "=" + one.text + "\n";
  return shown;
}

std::string shell_of(std::string_view text) {
  const auto read = read_shell(text, "f.sh");
  if (!read) return read.error().message;
  return lines_of(read->certain) + (read->doubtful.empty() ? "" : "doubtful\n" + lines_of(read->doubtful));
}

TEST(ShellSettings, AreTheOptionsOfCommandsAndArrays) {
  EXPECT_EQ(shell_of("ARGS=(\n  --a 1 # --no 1\n  --b=two\n  '--c 3'\n)\nrun --d \"x y\" \\\n  --flag --e -4\n"),
            "2 --a=1\n3 --b=two\n4 --c=3\n6 --d=x y\n7 --flag=true\n7 --e=-4\n");
}

TEST(ShellSettings, StandInQuotedArgumentsToo) {
  EXPECT_EQ(shell_of("A=2\nARGS=\"\n  --a $A\n  --b\n\"\nARGS+=\" --c 3\"\nTEXT=\"a --d 4\"\nrun $ARGS\n"),
            "3 --a=2\n4 --b=true\n6 --c=3\n");
}

TEST(ShellSettings, AreNoValuesOfTheOptionBeforeThem) {
  EXPECT_EQ(shell_of("A=(--a 1)\nB=\"--b 2\"\nC=3\nrun --d ${A[@]} --e $B --f \"${A[@]}\" --g $C\n"),
            "1 --a=1\n2 --b=2\n4 --d=true\n4 --e=true\n4 --f=true\n4 --g=3\n");
}

TEST(ShellSettings, HaveTheValuesOfPlainVariables) {
  EXPECT_EQ(
      shell_of("A=2\nexport B=\"$A\"\nC=${C:-3}\nrun --a $A --b ${B} --c $C --d ${D:-4} --e ${1:-five} --f '$A' --g x${A}y\n"),
      "4 --a=2\n4 --b=2\n4 --c=3\n4 --d=4\n4 --e=five\n4 --f=$A\n4 --g=x2y\n");
}

TEST(ShellSettings, LeaveOtherVariablesAsTheyStand) {
  EXPECT_EQ(
      shell_of("A=1\nA=2\nB=$(nproc)\nC=`nproc`\nD=$D\nfor E in 1 2; do :; done\nrun --a $A --b $B --c $C --d $D --e $E --f "
               "$((A*2)) --g ${A%x} --h $1\n"),
      "7 --a=$A\n7 --b=$B\n7 --c=$C\n7 --d=$D\n7 --e=$E\n7 --f=$((A*2))\n7 --g=${A%x}\n7 --h=$1\n");
}

TEST(ShellSettings, AreDoubtfulUnderACondition) {
  EXPECT_EQ(shell_of("if [ $X ]; then\n  run --a 1\nelse\n  run --a 2\nfi\nrun --b 1\nrun --b 1\nrun --c 1\nrun --c 2\n"),
            "6 --b=1\ndoubtful\n2 --a=1\n4 --a=2\n8 --c=1\n9 --c=2\n");
}

TEST(ShellSettings, EndWithAnyText) {
  EXPECT_EQ(shell_of("run --a \"1"), "1 --a=1\n");
  EXPECT_EQ(shell_of("run --a ${A:-"), "1 --a=${A:-\n");
  EXPECT_EQ(shell_of("A=$B\nB=$A\nrun --a $A"), "3 --a=$A\n");
}

}  // namespace
}  // namespace ordercheck
