#include "stack/notation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/displayable.h"
#include "base/text.h"
#include "stack/transforms.h"
#include "unit/stack/arbitrary_stack.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string canonical(std::string_view text) {
  const Result<Stack> stack = parse_stack(text);
  return stack ? print(*stack) : stack.error().message;
}

std::string error_of(std::string_view text) {
  const Result<Stack> stack = parse_stack(text);
  return stack ? "no error: " + print(*stack) : stack.error().message;
}

TEST(ParseStack, LeftIsAppliedFirst) {
  const Result<Stack> stack = parse_stack("pp=2,tp,ac");
  ASSERT_TRUE(stack);
  ASSERT_EQ(stack->items.size(), 3u);
  EXPECT_EQ(stack->items[0], (Item{.name = "pp", .degrees = {{2}}}));
  EXPECT_EQ(stack->items[1], (Item{.name = "tp"}));
  EXPECT_EQ(stack->items[2], (Item{.name = "ac"}));
}

TEST(ParseStack, AllNotationsMeanOneStack) {
  const char* const expected = "pp=2,tp=2,ac,compile,fsdp=2";
  EXPECT_EQ(canonical("pp=2,tp=2,ac,compile,fsdp=2"), expected);
  EXPECT_EQ(canonical(" pp=2, tp=2 , ac,compile,\tfsdp=2 "), expected);
  EXPECT_EQ(canonical("FSDP=2(compile(AC(TP=2(PP=2(model)))))"), expected);
  EXPECT_EQ(canonical(" fsdp=2 ( Compile( ac(Tp=2(PP=2( Model ) ) )) ) "), expected);
  EXPECT_EQ(canonical("PP=2 -> TP=2 -> AC -> compile -> FSDP=2"), expected);
  EXPECT_EQ(canonical("PP=2->TP=2->AC->compile->FSDP=2"), expected);
  EXPECT_EQ(canonical("PP=2 → TP=2 → AC → compile@block→FSDP=2"), expected);
}

TEST(ParseStack, KnowsTheNamesThatProseUses) {
  EXPECT_EQ(canonical("SimpleFSDP=4:bucket=transformer_block(AutoParallel(model))"),
            "auto_parallel,simple_fsdp=4:bucket=transformer_block");
  EXPECT_EQ(canonical("Replicate=2(compile=aot_eager(TP=2:plan=blocks(model)))"),
            "tp=2:plan=blocks,compile=aot_eager,replicate=2");
}

TEST(ParseStack, ACompileAroundEverythingIsOneOfTheModel) {
  EXPECT_EQ(canonical("compile(FSDP=2(model))"), "fsdp=2,compile@model");
  EXPECT_EQ(canonical("compile@block(FSDP=2(model))"), "fsdp=2,compile");
  EXPECT_EQ(canonical("FSDP=2(compile(model))"), "compile,fsdp=2");
  EXPECT_EQ(canonical("fsdp=2,compile"), "fsdp=2,compile");  // in a list it is one of each block
  EXPECT_EQ(canonical("AC(FSDP=2(model))"), "fsdp=2,ac");
}

TEST(ParseStack, ShowsTheWordsOfOtherLanguagesAsTheyAre) {
  EXPECT_EQ(parse_stack("tp=2→fsdpü=2").error().message,
            "unknown transform 'fsdpü' at column 6; did you mean 'fsdp'?\n"
            "  tp=2→fsdpü=2\n"
            "       ^~~~~");
  EXPECT_THAT(parse_stack("\xff").error().message, HasSubstr("'\\xff'"));
}

TEST(ParseStack, NothingIsTheEmptyStack) {
  for (const char* nothing : {"", "  ", "model", " model "}) {
    const Result<Stack> stack = parse_stack(nothing);
    ASSERT_TRUE(stack) << nothing;
    EXPECT_EQ(*stack, Stack{}) << nothing;
  }
}

TEST(ParseStack, PointsAtTheMistake) {
  EXPECT_EQ(error_of("tp=2,fsdb=2"),
            "unknown transform 'fsdb' at column 6; did you mean 'fsdp'?\n"
            "  tp=2,fsdb=2\n"
            "       ^~~~");
  EXPECT_EQ(error_of("FSDP=2(AC(model)"),
            "expected 1 more ')' at column 17\n"
            "  FSDP=2(AC(model)\n"
            "                  ^");
}

TEST(ParseStack, DuplicatesAreARulesMatter) { EXPECT_EQ(canonical("fsdp=2,fsdp=2"), "fsdp=2,fsdp=2"); }

TEST(ParseStack, AnUnknownNameThatIsNearToNoneListsAllThatAreKnown) {
  std::vector<std::string> names;
  for (const TransformInfo& info : transforms()) names.push_back(info.name);
  EXPECT_THAT(error_of("AC(model,TP(model))"),
              testing::StartsWith("unknown transform 'model,TP' at column 4; known: " + join(names, ", ") + "\n"));
}

struct Mistake {
  const char* text;
  const char* message;  // its first line
};

class ParseStackMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(ParseStackMistakes, AreNamed) {
  const std::string message = error_of(GetParam().text);
  EXPECT_EQ(message.substr(0, message.find('\n')), GetParam().message);
  EXPECT_EQ(split(message, '\n').size(), 3u) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseStackMistakes,
    testing::Values(
        Mistake{"tp=2,,ac", "expected the name of a transform at column 6"},
        Mistake{"tp=2,", "expected the name of a transform at column 6"},
        Mistake{",", "expected the name of a transform at column 1"},
        Mistake{"tp -> -> ac", "expected the name of a transform at column 6"},
        Mistake{"tp=0", "'tp' takes a degree of 1 to 1000000, got '0' at column 4"},
        Mistake{"tp=-2", "'tp' takes a degree of 1 to 1000000, got '-2' at column 4"},
        Mistake{"tp=", "'tp' takes a degree of 1 to 1000000, got '' at column 4"},
        Mistake{"tp=2x2", "'tp' takes a degree of 1 to 1000000, got '2x2' at column 4"},
        Mistake{"tp=99999999999999999999", "'tp' takes a degree of 1 to 1000000, got '99999999999999999999' at column 4"},
        Mistake{"hsdp=4", "'hsdp' takes two degrees, replicate x shard as in hsdp=2x4, got '4' at column 6"},
        Mistake{"hsdp=2x", "'hsdp' takes two degrees, replicate x shard as in hsdp=2x4, got '2x' at column 6"},
        Mistake{"sac=2", "'sac' takes no value, got '2' at column 5"},
        Mistake{"compile=2", "unknown mode '2' of 'compile' at column 9; it takes: inductor, aot_eager"},
        Mistake{"compile=inductr", "unknown mode 'inductr' of 'compile' at column 9; did you mean 'inductor'?"},
        Mistake{"compile:backend=inductor",
                "unknown option 'backend' of 'compile' at column 9; it takes: wrap, fullgraph, passes"},
        Mistake{"tp=2:plan=root", "option 'plan' takes one of all, blocks, got 'root' at column 11"},
        Mistake{"ac=selectiv", "unknown mode 'selectiv' of 'ac' at column 4; did you mean 'selective'?"},
        Mistake{"optimizer=lion", "unknown mode 'lion' of 'optimizer' at column 11; it takes: sgd, adamw"},
        Mistake{"fsdp=2:reshrad=never", "unknown option 'reshrad' of 'fsdp' at column 8; did you mean 'reshard'?"},
        Mistake{"amp=bf16:n=1", "unknown option 'n' of 'amp' at column 10; it has none"},
        Mistake{"fsdp=2:reshard=nver", "option 'reshard' takes one of always, never, default, got 'nver' at column 16"},
        Mistake{"fsdp=2:reshard", "option 'reshard' takes one of always, never, default, got no value at column 8"},
        Mistake{"compile:wrap=on", "option 'wrap' takes no value, got 'on' at column 14"},
        Mistake{"ac=selective:n=0", "option 'n' takes a count of 1 to 1000000, got '0' at column 16"},
        Mistake{"optimizer:lr=-1", "option 'lr' takes a decimal of at least 0, got '-1' at column 14"},
        Mistake{"optimizer:lr=nan", "option 'lr' takes a decimal of at least 0, got 'nan' at column 14"},
        Mistake{"sac:policy=Mm", "option 'policy' takes a value of [a-z0-9_.+-], got 'Mm' at column 12"},
        Mistake{"compile:passes=common+partition+comon",
                "option 'passes' takes some of dead_code, common, partition, auto_buckets, bucket, overlap, reuse joined by "
                "'+', got "
                "'common+partition+comon' at column 16"},
        Mistake{"compile:passes=common+",
                "option 'passes' takes some of dead_code, common, partition, auto_buckets, bucket, overlap, reuse joined by "
                "'+', got "
                "'common+' at column 16"},
        Mistake{"simple_fsdp:bucket_modules=layers.0++norm",
                "option 'bucket_modules' takes values of [a-z0-9_.-] joined by '+', got 'layers.0++norm' at column 28"},
        Mistake{"pp=2:1f1b:1f1b", "option '1f1b' is given twice at column 11"},
        Mistake{"pp=2:1f1b:gpipe", "option 'gpipe' contradicts '1f1b': one schedule at a time at column 11"},
        Mistake{"compile@modle", "unknown scope 'modle' at column 9; did you mean 'model'?"},
        Mistake{"compile@", "unknown scope '' at column 9; known: model, block, experts, attention"},
        Mistake{"compile@model:wrap", "unknown scope 'model:wrap' at column 9; known: model, block, experts, attention"},
        Mistake{"tp=2 ac", "'tp' takes a degree of 1 to 1000000, got '2 ac' at column 4"},
        Mistake{"FSDP=2(AC(net))", "expected 'model' innermost, got 'net' at column 11"},
        Mistake{"FSDP=2()", "expected 'model' innermost, got '' at column 8"},
        Mistake{"AC(model))", "expected nothing more at column 10"},
        Mistake{"AC(model),tp", "expected nothing more at column 10"},
        Mistake{"(model)", "expected the name of a transform at column 1"},
        Mistake{")", "expected 'model' innermost, got '' at column 1"}));

TEST(ParseStack, ItemsKeepTheirOriginAndErrorsNameIt) {
  const Result<Stack> stack = parse_stack("tp=2,ac", {"space.toml", 7});
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->items[1].origin.file, "space.toml");
  EXPECT_EQ(stack->items[1].origin.line, 7);
  const Result<Stack> wrong = parse_stack("tq=2", {"space.toml", 7});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, StartsWith("space.toml:7: unknown transform 'tq'"));
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(ParseStack, AStackOfMoreThan32ItemsIsRefusedInOneLine) {
  const std::string refused = "a stack has at most 32 transforms, this one has more: leave out what is not about the order";
  const std::string most = "ac" + repeated(",ac", kMostItems - 1);
  ASSERT_TRUE(parse_stack(most));
  EXPECT_EQ(parse_stack(most)->items.size(), 32u);
  EXPECT_EQ(error_of(most + ",ac"), refused);
  EXPECT_EQ(error_of("ac" + repeated(" -> ac", kMostItems)), refused);
  const auto nested = [](std::size_t times) { return repeated("ac(", times) + "model" + std::string(times, ')'); };
  ASSERT_TRUE(parse_stack(nested(kMostItems)));
  EXPECT_EQ(error_of(nested(kMostItems + 1)), refused);
  EXPECT_EQ(error_of(nested(200'000)), refused);
}

void check_value_or_one_error(const std::string& text) {
  const Result<Stack> stack = parse_stack(text);
  if (stack) {
    const Result<Stack> again = parse_stack(print(*stack));
    RC_ASSERT(bool(again));
    RC_ASSERT(*again == *stack);
    return;
  }
  if (stack.error().message.starts_with("a stack has at most")) return;
  // One line that says what, the text, the caret; nothing unprintable.
  const std::vector<std::string> lines = split(stack.error().message, '\n');
  RC_ASSERT(lines.size() == 3u);
  RC_ASSERT(!lines[0].empty());
  RC_ASSERT(lines[2].find('^') != std::string::npos);
  for (const std::string& line : lines) RC_ASSERT(displayable(line) == line);
}

RC_GTEST_PROP(ParseStack, AnyBytesAreAStackOrOneError, (const std::string& bytes)) { check_value_or_one_error(bytes); }

RC_GTEST_PROP(ParseStack, AnythingMadeOfItsOwnLettersIsAStackOrOneError, ()) {
  const auto piece = rc::gen::element<std::string>("tp", "FSDP", "hsdp", "ac", "compile", "model", "=2", "=2x4", "x", "=", ":",
                                                   ",", "->", "-", "@", "(", ")", " ", "block", "reshard", "never", "1f1b",
                                                   "full", "\n", "\xff", "\xe2\x86\x92");
  const std::vector<std::string> pieces = *rc::gen::container<std::vector<std::string>>(piece);
  check_value_or_one_error(join(pieces, ""));
}

RC_GTEST_PROP(ParseStack, OneSlipInAStackIsAStackOrOneError, ()) {
  std::string text = print(*arbitrary_stack());
  RC_PRE(!text.empty());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::arbitrary<char>();
  check_value_or_one_error(text);
}

TEST(PrintStack, IsTheCommaForm) {
  const Stack stack{{{.name = "pp", .degrees = {{2}}, .options = {{"1f1b", ""}, {"microbatches", "4"}}},
                     {.name = "ac", .mode = "selective"},
                     {.name = "compile", .scope = Scope::model},
                     {.name = "hsdp", .degrees = {{2}, {4}}, .options = {{"reshard", "never"}}, .scope = Scope::experts}}};
  EXPECT_EQ(print(stack), "pp=2:1f1b:microbatches=4,ac=selective,compile@model,hsdp=2x4:reshard=never@experts");
  EXPECT_EQ(print(Stack{}), "");
}

TEST(PrintStack, NestedPutsTheLastAppliedOutermost) {
  EXPECT_EQ(print_nested(*parse_stack("tp=2,ac,compile,fsdp=2:reshard=never")),
            "FSDP=2:reshard=never(compile(AC(TP=2(model))))");
  EXPECT_EQ(print_nested(Stack{}), "model");
}

RC_GTEST_PROP(PrintStack, ParsesBackToTheSameStack, ()) {
  const Stack stack = *arbitrary_stack();
  const Result<Stack> back = parse_stack(print(stack));
  RC_ASSERT(bool(back));
  RC_ASSERT(*back == stack);
  RC_ASSERT(print(*back) == print(stack));
}

RC_GTEST_PROP(PrintStack, NestedParsesBackToTheSameStack, ()) {
  const Stack stack = *arbitrary_stack();
  const Result<Stack> back = parse_stack(print_nested(stack));
  RC_ASSERT(bool(back));
  RC_ASSERT(*back == stack);
}

TEST(ErrorAt, PutsTheCaretUnderThePlace) {
  EXPECT_EQ(error_at("tp=2,fsdb=2", {5, 9}, "what").message, "what at column 6\n  tp=2,fsdb=2\n       ^~~~");
  EXPECT_EQ(error_at("tp=2,", {5, 5}, "what").message, "what at column 6\n  tp=2,\n       ^") << "behind the end";
  EXPECT_EQ(error_at("", {0, 0}, "what").message, "what at column 1\n  \n  ^");
}

TEST(ErrorAt, CutsALongTextAroundThePlace) {
  const std::string text = std::string(100, 'a') + "HERE" + std::string(100, 'b');
  EXPECT_EQ(error_at(text, {100, 104}, "what").message, "what at column 101\n  ..." + std::string(40, 'a') + "HERE" +
                                                            std::string(56, 'b') + "...\n  " + std::string(43, ' ') + "^~~~");
}

TEST(ErrorAt, ShowsWhatIsNotPrintableAsItIsWritten) {
  EXPECT_EQ(error_at("a\n\xff\tb", {4, 5}, "what").message, "what at column 10\n  a\\n\\xff\\tb\n           ^");
}

TEST(InQuotes, CutsAndCleans) {
  EXPECT_EQ(in_quotes("fsdb"), "'fsdb'");
  EXPECT_EQ(in_quotes("a\nb"), "'a\\nb'");
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

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
