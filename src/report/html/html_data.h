// Builds the JSON object that the HTML page shows. The page's script draws only what this object contains.
//
//   target       the reader's target, for the recommended order: "pytorch 2.15.0"
//   transforms   {name, title}: every transform that a case names, in the order of the catalogue
//   answer       {versions, names, left_out, blocked, silent}: see report/pages/order_view.h
//     blocked    {stack, sign, state, blockers, no_known_cure, cure, cure_seen}
//     silent     {sign, bad, good, happens, page, since}: rows of the pair table
//   builds       {id, engine, version, device, target, versions, controls, tally, pairs, cases}, in the order of the sources
//     pairs      {names, rows: [[sign, case]]}: `sign` from sign_of (report/pages/shown.h), `case` an index into `cases` or -1
//     cases      {text, verdict, words, seen, place, agreement, ...}; empty fields are omitted
//   graphs       {items, edges: [[before, after, error, rules]]}: precedence graphs; a case's `graph` is an index
//   scripts      {pieces, cases: [[piece]]}: a case's `script` is an index into `cases`; joining the pieces listed there in
//                order gives the script. A case's `no_script` says why it has none. null without scripts.
//   changes, orders, projects, own_runs, disagreements, rules
//
// Texts are Markdown wherever they are in the generated pages. Links to pages stay "../rules/<kind>/<slug>.md".
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/html/html.h"
#include "report/pages/sources.h"

namespace ordercheck {

// Uses only tables in exact arithmetic. Deterministic: equal sources give equal objects.
nlohmann::ordered_json html_data(const Sources& sources, const ReproScripts* scripts);

}  // namespace ordercheck
