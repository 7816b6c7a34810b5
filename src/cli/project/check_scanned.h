// A scanned stack, judged also where the code does not show what an option is.
#pragma once

#include "check/check.h"
#include "importer/code/scan.h"

namespace ordercheck::cli {

// Each option that the code leaves open is tried with every value. A finding that all values share stands; one that some of them
// have is advice that begins with "if ...". An option whose value the notation has no word for keeps only what all values share.
Report check_scanned(const ScannedStack& one, const Judge& judge);

}  // namespace ordercheck::cli
