// `ordercheck-ranks --env`: this process is one rank of a world that torchrun, mpirun, mpiexec or srun started.
//
// Rank 0 reads the cases, says what is run, judges it, and writes one table of evidence, which `ordercheck matrix merge` reads. After each
// case it writes the table anew, so that what was seen survives whatever happens to the rest. Only rank 0 writes to stdout, a line a case;
// what goes wrong is one line on stderr that names its rank.
#pragma once

namespace ordercheck::ranks {

// The exit code. Of rank 0: 0 when nothing is against the cases, 1 when something is, 3 when a case is undecided, as when a rank was lost.
// Of the others: 0 when the world ended as it should, 3 when it was gone. Of all: 2 for input that must be changed.
int launch(int argument_count, const char* const* arguments);

}  // namespace ordercheck::ranks
