#include "parity/verdict.h"

namespace ordercheck {

bool shows_parity(Verdict verdict) { return verdict == Verdict::equal || verdict == Verdict::close; }

}  // namespace ordercheck
