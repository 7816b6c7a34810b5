// The control "repeated runs" of a table of which a part was run anew.
#pragma once

#include "evidence/table.h"

namespace ordercheck {

// A part in which a case was unlike itself fails the table: the part's control stands for it. A part that held clears a table's
// where the one case that was unlike itself is among its rows. Else the table's own.
Control with_repeated(Control of_table, const EvidenceTable& part);

}  // namespace ordercheck
