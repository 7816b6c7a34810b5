"""A program with a site of every kind."""

TOY = """\
#include <cstdio>
#include <vector>

namespace toy {

constexpr int kFeatureDim = 2;
constexpr const char* kAxis = "tp";

int sum_of(const std::vector<int>& terms) {
  int sum = 0;  // 5 + 5 is in a comment
  for (std::size_t i = 0; i < terms.size(); ++i) sum += terms[i];
  return sum;
}

bool both(bool first, bool second) { return first && !second; }

void greet() { std::puts("hello"); }

void tell(int left, int right) {
  if (left == right) std::puts("left == right, 1 + 1");
  std::printf("%d %d %d %s %d\\n", left - right, sum_of({left, right}), both(true, left > 2), kAxis, kFeatureDim);
}

}  // namespace toy

int main() {
  toy::tell(3, 4);
  toy::tell(2, 4);
  toy::greet();
}
"""

# Of each kind: what a mutant changes, as an editor would.
CHANGES = {
    "constant": ("int sum = 0;", "int sum = 1;"),
    "comparison": ("if (left == right)", "if (left != right)"),
    "bound": ("left > 2", "left >= 2"),
    "sum": ("left - right", "left + right"),
    "logic": ("first && !second", "first || !second"),
    "axis": ("2), kAxis", '2), "pp"'),
    "call": ("toy::greet();", ""),
}
