#include "stack/syntax.h"

#include <gtest/gtest.h>

namespace ordercheck {
namespace {

// Of rows made up here, so that an option of a transform stands in its row alone.
std::string syntax(ValueForm value, std::vector<std::string> modes, std::vector<OptionInfo> options) {
  return syntax_of({.name = "toy",
                    .kind = TransformKind::layout,
                    .value = value,
                    .scope = Scope::model,
                    .modes = std::move(modes),
                    .options = std::move(options)});
}

TEST(SyntaxOf, ShowsTheValue) {
  EXPECT_EQ(syntax(ValueForm::none, {}, {}), "toy");
  EXPECT_EQ(syntax(ValueForm::degree, {}, {}), "toy=N");
  EXPECT_EQ(syntax(ValueForm::degree_pair, {}, {}), "toy=NxN");
  EXPECT_EQ(syntax(ValueForm::mode, {"full", "selective"}, {}), "toy[=full|selective]");
}

TEST(SyntaxOf, ShowsOptionsByTheirForm) {
  const auto option = [](OptionForm form, std::vector<std::string> words = {}) {
    return syntax(ValueForm::none, {}, {{.name = "o", .form = form, .words = std::move(words)}});
  };
  EXPECT_EQ(option(OptionForm::flag), "toy[:o]");
  EXPECT_EQ(option(OptionForm::count), "toy[:o=N]");
  EXPECT_EQ(option(OptionForm::number), "toy[:o=X]");
  EXPECT_EQ(option(OptionForm::number, {"per_mesh"}), "toy[:o=X|per_mesh]");
  EXPECT_EQ(option(OptionForm::word), "toy[:o=WORD]");
  EXPECT_EQ(option(OptionForm::word, {"off"}), "toy[:o=off]");
  EXPECT_EQ(option(OptionForm::word, {"on", "off"}), "toy[:o=on|off]");
  EXPECT_EQ(option(OptionForm::list), "toy[:o=WORD[+...]]");
  EXPECT_EQ(option(OptionForm::list, {"on", "off"}), "toy[:o=on|off[+...]]");
  EXPECT_EQ(syntax(ValueForm::degree, {}, {{.name = "a"}, {.name = "b", .form = OptionForm::count}}), "toy=N[:a][:b=N]");
}

TEST(SyntaxOf, PutsOptionsOfAGroupIntoOneBracket) {
  EXPECT_EQ(syntax(ValueForm::degree, {},
                   {{.name = "gpipe", .group = "schedule"}, {.name = "1f1b", .group = "schedule"}, {.name = "late"}}),
            "toy=N[:gpipe|:1f1b][:late]");
}

}  // namespace
}  // namespace ordercheck
