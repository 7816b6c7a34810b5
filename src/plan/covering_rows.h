// A covering set: few allowed combinations that together hold every tuple of `strength` levels that any allowed one holds.
//
// Rows are chosen one after another, each the allowed combination with the most new tuples (the greedy of AETG: Cohen, Dalal,
// Fredman and Patton, IEEE Transactions on Software Engineering 23(7), 1997; over all combinations in place of random
// candidates, with the lazy evaluation of Minoux 1978). Then a row is taken away, and a tabu search puts the tuples that are
// missing into the rows that are left, until it finds no way (Walker and Colbourn, Journal of Combinatorial Mathematics and
// Combinatorial Computing 69, 2009; moves that a rule forbids are passed over, as Garvin, Cohen and Dwyer do, Empirical Software
// Engineering 16, 2011). Integers and an own sequence of numbers alone: the same input gives the same rows on every machine.
#pragma once

#include <vector>

#include "plan/combinations.h"

namespace ordercheck {

// Sorted. Every feasible tuple is in one of them; none where nothing is allowed. `strength` is 1 to parameters().
std::vector<Combination> covering_rows(const Combinations& combinations, int strength);

}  // namespace ordercheck
