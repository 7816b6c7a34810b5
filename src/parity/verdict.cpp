#include "parity/verdict.h"

#include <array>
#include <cassert>

namespace ordercheck {
namespace {

constexpr std::array kVerdicts{Verdict::equal, Verdict::close,   Verdict::differs,  Verdict::fails,
                               Verdict::hangs, Verdict::ignored, Verdict::unstable, Verdict::unrun};

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal: return "equal";
    case Verdict::close: return "close";
    case Verdict::differs: return "differs";
    case Verdict::fails: return "fails";
    case Verdict::hangs: return "hangs";
    case Verdict::ignored: return "ignored";
    case Verdict::unstable: return "unstable";
    case Verdict::unrun: return "unrun";
  }
  assert(false && "every verdict has a name");
  return "";
}

std::optional<Verdict> find_verdict(const std::string& name) {
  for (Verdict verdict : kVerdicts)
    if (name == name_of(verdict)) return verdict;
  return std::nullopt;
}

bool shows_parity(Verdict verdict) { return verdict == Verdict::equal || verdict == Verdict::close; }

}  // namespace ordercheck
