"""What is drawn, and what is no site."""

import unittest
from collections import Counter
from pathlib import Path

import draw
from one_site import KINDS, ROOMS
from sites import ROOT, sites_in, sites_of
from toy import TOY


def changes(text: str) -> list[str]:
    return [site.change for site in sites_of("src/toy.cpp", text)]


class Sites(unittest.TestCase):
    def test_every_kind_is_found(self) -> None:
        self.assertEqual({site.kind for site in sites_in(ROOT)}, set(KINDS))
        self.assertEqual({site.kind for site in sites_of("src/toy.cpp", TOY)}, set(KINDS))

    def test_each_is_in_a_function(self) -> None:
        for site in sites_of("src/toy.cpp", TOY):
            self.assertIn(site.function, {"sum_of", "both", "greet", "tell", "main"})

    def test_no_text_of_an_error_is_changed(self) -> None:
        text = """\
void refuse(int got) {
  TORCH_CHECK(got == 1, "expected ", 2 + got, " of ", 7);
  throw std::runtime_error(fmt::format("{}", got + 8));
}
"""
        self.assertEqual(
            [(site.kind, site.line) for site in sites_of("src/toy.cpp", text)],
            [("comparison", 2), ("constant", 2)],
        )

    def test_no_named_mutant_is_turned_on(self) -> None:
        self.assertEqual(changes('void skip(Site site) {\n  if (site.mutant == "skipped") return;\n}\n'), [])

    def test_no_argument_of_a_template_is_changed(self) -> None:
        self.assertEqual(changes("int third(Triple t) {\n  return std::get<2>(t);\n}\n"), [])

    def test_what_is_changed_alike_twice_has_two_names(self) -> None:
        text = "void twice() {\n  call();\n  call();\n}\n"
        self.assertEqual(changes(text), ["call(); -> (left out)", "call(); -> (left out) (#2)"])


class Drawing(unittest.TestCase):
    def test_the_seed_decides(self) -> None:
        drawn = draw.draw(sites_in(ROOT))
        self.assertEqual(drawn, draw.draw(list(reversed(sites_in(ROOT)))))
        seed = draw.SEED
        try:
            draw.SEED = seed + 1
            self.assertNotEqual(drawn, draw.draw(sites_in(ROOT)))
        finally:
            draw.SEED = seed

    def test_sixty_of_all_kinds_and_few_of_a_file(self) -> None:
        drawn = draw.draw(sites_in(ROOT))
        self.assertEqual(len(drawn), 60)
        of_kind = Counter(site.kind for site in drawn)
        self.assertLessEqual(max(of_kind.values()) - min(of_kind[kind] for kind in KINDS), 1)
        self.assertLessEqual(max(Counter(site.path for site in drawn).values()), draw.MOST_OF_A_FILE)
        self.assertEqual({str(Path(site.path).parent) for site in drawn}, set(ROOMS))

    def test_what_does_not_compile_is_drawn_anew(self) -> None:
        drawn = draw.draw(sites_in(ROOT))
        again = draw.draw(sites_in(ROOT), {draw.place_of(drawn[7])})
        self.assertEqual(len(again), 60)
        self.assertNotIn(drawn[7], again)
        self.assertEqual(drawn[:7], again[:7])

    def test_lines_that_move_change_nothing(self) -> None:
        moved = [draw.place_of(site) for site in draw.draw(sites_of("src/toy.cpp", "\n\n" + TOY), count=9)]
        self.assertEqual(
            [draw.place_of(site) for site in draw.draw(sites_of("src/toy.cpp", TOY), count=9)], moved
        )
