// The glossary has every word that the program uses as a name, and its own words hang together.
#include "rules/glossary.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "form/source_tree.h"
#include "matrix/plan_result.h"
#include "record/counters.h"
#include "rules/counters.h"
#include "rules/pair_answer.h"
#include "stack/mesh.h"
#include "stack/transforms.h"

namespace ordercheck::form {
namespace {

void expect_term(const std::string& group, const std::string& name) {
  for (const FoundTerm& found : find_terms(glossary(), name))
    if (found.group->name == group && found.term->name == name) return;
  ADD_FAILURE() << "glossary/" << group << ".toml has no term '" << name << "'; add one";
}

// Every value of an enumeration from 0 up to its last.
template <class Value>
void expect_terms(const std::string& group, Value last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) expect_term(group, name_of(static_cast<Value>(i)));
}

TEST(Glossary, EveryFileIsReadAndBuiltIn) {
  std::size_t files = 0;
  for (const SourceFile& file : files_under("glossary")) {
    if (!file.path.ends_with(".toml")) continue;
    ++files;
    const auto text = read_file(checkout() / file.path);
    ASSERT_TRUE(text) << text.error().message;
    const auto group = parse_glossary(*text, file.path);
    ASSERT_TRUE(group) << group.error().message;
    EXPECT_TRUE(std::ranges::any_of(
        glossary(),
        [&](const TermGroup& built) { return built.name == group->name && built.terms.size() == group->terms.size(); }))
        << file.path << " is not built in as it stands; name it in src/CMakeLists.txt and build again";
  }
  EXPECT_EQ(files, glossary().size());
}

TEST(Glossary, EveryWordToSeeIsATerm) {
  for (const TermGroup& group : glossary())
    for (const Term& term : group.terms)
      for (const std::string& word : term.see)
        EXPECT_FALSE(find_terms(glossary(), word).empty())
            << "glossary/" << group.name << ".toml: '" << term.name << "' names '" << word << "', which is no term";
}

TEST(Glossary, HasEveryTransformWithItsOptionsAndModes) {
  for (const TransformInfo& info : transforms()) {
    expect_term("transforms", info.name);
    for (const std::string& mode : info.modes) expect_term("modes", mode);
    for (const OptionInfo& option : info.options) expect_term("options", option.name);
  }
}

TEST(Glossary, HasEveryAxisAndScope) {
  for (const std::string_view axis : kMeshAxes) expect_term("axes", std::string(axis));
  expect_terms("scopes", Scope::attention);
}

TEST(Glossary, HasEveryWordOfARuleAndARun) {
  expect_terms("verdicts", Verdict::unrun);
  expect_terms("harms", Harm::memory);
  expect_terms("bases", Basis::incidental);
  expect_terms("grades", GradeKind::stale);
  expect_terms("grades", Severity::advice);
  expect_terms("kinds", RuleKind::commutes);
  expect_terms("answers", PairWord::open);
  expect_terms("agreements", Agreement::undecided);
  for (const auto& [counter, unused] : counter_values({}, {})) expect_term("counters", counter);
  for (const CounterName& modelled : kModelled) expect_term("counters", modelled.name);
}

}  // namespace
}  // namespace ordercheck::form
