"""What a run of the matrix is read as, and whether tables, reasons and page agree."""

import unittest

import draw
from matrix_runs import covering_cases, what_departs
from page import PAGE, render
from sites import ROOT, sites_in
from tables import Reason, Row, Table, faults, parse_reasons, parse_table, print_table, read


class MatrixRuns(unittest.TestCase):
    OBJECT = '{"controls": [{"name": "clipping", "judged": true, "held": %s, "evidence": "none"}]}\n'

    def test_the_first_case_of_the_diff_is_named(self) -> None:
        output = (
            self.OBJECT % "false"
            + "- tp=2: equal\n+ tp=2: differs, loss\n- ac: equal\n+ ac: fails\ndeparts from x\n"
        )
        seen = what_departs(output)
        self.assertEqual((seen.case, seen.before, seen.after), ("tp=2", "equal", "differs, loss"))

    def test_without_one_a_control_is_named(self) -> None:
        self.assertEqual(what_departs(self.OBJECT % "false").case, "(control: clipping)")
        self.assertIsNone(what_departs(self.OBJECT % "true"))

    def test_few_cases_hold_every_option_of_all(self) -> None:
        few = covering_cases(ROOT)
        self.assertLess(len(few), 150)
        for wanted in ("cut=in_place", "ac:reentrant", "model=moe", "reshard=never", "etp=2"):
            self.assertTrue(any(wanted in case for case in few), wanted)


class Committed(unittest.TestCase):
    def setUp(self) -> None:
        self.table, self.reasons, self.note = read(ROOT)

    def test_what_is_not_seen_has_a_reason_and_no_reason_is_stale(self) -> None:
        self.assertEqual(faults(self.table, self.reasons), [])
        silent = self.table.of_result("not seen")
        stale = Reason(("src/gone.cpp", "gone", "a -> b"), True, "It is gone.")
        self.assertEqual(len(faults(self.table, [*self.reasons, stale])), 1)
        self.assertEqual(len(faults(self.table, [])), len(silent))

    def test_the_page_is_what_the_tables_make(self) -> None:
        self.assertEqual((ROOT / PAGE).read_text(), render(self.table, self.reasons, self.note))

    def test_reads_what_it_prints(self) -> None:
        self.assertEqual(parse_table(print_table(self.table)), self.table)

    def test_a_table_with_a_mutant_less_is_refused(self) -> None:
        rows = tuple(row for row in self.table.rows if row.number != 30)
        with self.assertRaises(ValueError):
            parse_table(print_table(Table(self.table.digest, rows)))
        with self.assertRaises(ValueError):
            parse_reasons('[[survivor]]\nfile = "a"\nfunction = "b"\nchange = "c"\nis = "fine"\nwhy = "d"\n')

    def test_is_what_the_seed_draws_from_the_sources_that_it_names(self) -> None:
        if self.table.digest != draw.digest_of_rooms(ROOT):
            self.skipTest(
                f"the sources are others than those of {self.table.digest}: scripts/random-mutants --write draws anew"
            )
        refused = {row.place for row in self.table.of_result("does not compile")}
        drawn = [draw.place_of(site) for site in draw.draw(sites_in(ROOT), refused)]
        self.assertEqual(drawn, [row.place for row in self.table.rows if row.number])

    def test_share(self) -> None:
        """The page's share leaves out what is proved equivalent, and holes count against it."""
        rows = [Row(1, "sum", "f", "g", "a -> b", "seen", "smoke", "tp=2", "equal", "differs")]
        rows += [Row(n, "sum", "f", "g", f"{n} -> b", "not seen") for n in (2, 3)]
        reasons = [Reason(("f", "g", "2 -> b"), True, "Proof."), Reason(("f", "g", "3 -> b"), False, "Hole.")]
        self.assertIn("**50.0 %** (1 of 2)", render(Table("0", tuple(rows)), reasons, ""))
