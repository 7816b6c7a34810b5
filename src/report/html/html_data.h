// What the HTML page shows, as one object: the page's script reads it, and draws nothing that is not in it.
//
//   target       whom the recommended order is for: "pytorch 2.15.0"
//   transforms   {name, title}: every transform that a case names, in the order of the catalogue
//   answer       {versions, names, left_out, blocked, silent}: see report/pages/order_view.h
//     blocked    {stack, sign, state, blockers, no_known_cure, cure, cure_seen}
//     silent     {sign, bad, good, happens, page, since}: rows of the pair table
//   builds       {id, engine, version, device, target, versions, controls, tally, pairs, cases}, in the order of the sources
//     pairs      {names, rows: [[sign, case]]}: `sign` as sign_of (report/pages/shown.h) gives it, `case` an index into `cases` or -1
//     cases      {text, verdict, words, seen, place, agreement, ...}; what is empty is left out
//   graphs       {items, edges: [[before, after, error, rules]]}: precedence graphs; a case's `graph` is an index
//   scripts      {pieces, cases: [[piece]]}: a case's `script` is an index into `cases`, and the pieces that it lists there, one
//                behind the other, are the script; `no_script` of a case says why it has none. null where there are none.
//   changes, orders, projects, own_runs, disagreements, rules
//
// Texts are Markdown where the generated pages' are; links to pages stay "../rules/<kind>/<slug>.md".
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/html/html.h"
#include "report/pages/sources.h"

namespace ordercheck {

// Of tables in exact arithmetic. Deterministic: the same sources give the same object.
nlohmann::ordered_json html_data(const Sources& sources, const ReproScripts* scripts);

}  // namespace ordercheck
