// Formats of people: stacks, rule pages, evidence, and the files in matrix/.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/settings/project_file.h"
#include "cli/settings/project_report.h"
#include "cli/shared/hugging_face_config.h"
#include "fuzz/corpus.h"
#include "fuzz/formats.h"
#include "matrix/engine_file.h"
#include "matrix/framework.h"
#include "matrix/space.h"
#include "record/evidence_table.h"
#include "report/pages/sources.h"
#include "rules/glossary.h"
#include "rules/load.h"
#include "rules/match.h"
#include "stack/notation.h"

namespace ordercheck::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path kCheckout = ORDERCHECK_SOURCE_DIR;

const std::vector<Rule>& pages() {
  static const std::vector<Rule> rules = load_rules(kCheckout / "rules").value();
  return rules;
}

// An error of a stack shows the place on two lines of its own.
std::string check_caret(std::string_view message) {
  const auto lines = split(message, '\n');
  if (lines.size() != 3) return fmt::format("expected a message, the text and a caret, got {} lines", lines.size());
  for (const std::string& line : lines)
    if (std::string wrong = check_message(line); !wrong.empty()) return wrong;
  return trim(lines[2]).starts_with('^') ? "" : "no caret";
}

std::string check_stack(std::string_view bytes) {
  const auto stack = parse_stack(bytes);
  if (!stack) return check_caret(stack.error().message);
  for (const std::string& text : {print(*stack), print_nested(*stack)}) {
    const auto again = parse_stack(text);
    if (!again || *again != *stack) return "not the same when printed and read again: " + text;
  }
  for (const Rule& rule : pages()) {
    (void)firings(rule, *stack);
    (void)demands(rule, *stack);
  }
  return "";
}

std::string check_case(std::string_view bytes) {
  const auto c = parse_case(bytes);
  if (!c) return check_caret(c.error().message);
  const auto again = parse_case(print(*c));
  return again && *again == *c ? "" : "not the same when printed and read again: " + print(*c);
}

std::string check_pattern(std::string_view bytes) {
  const auto pattern = parse_pattern(bytes);
  if (!pattern) return check_message(pattern.error().message);
  const auto again = parse_pattern(print(*pattern));
  return again && *again == *pattern ? "" : "not the same when printed and read again: " + print(*pattern);
}

// Evaluated too, with small and with extreme degrees.
std::string check_condition(std::string_view bytes) {
  const auto condition = parse_condition(bytes);
  if (!condition) return check_message(condition.error().message);
  for (const char* text : {"", "pp=2:microbatches=3,tp=5,ep=7", "pp=1000000,tp=1000000,fsdp=1000000,cp=1000000"}) {
    const ConditionValues values = condition_values(*parse_stack(text), Job(8));
    (void)is_met(*condition, values);
    (void)explain(*condition, values);
  }
  return "";
}

std::string check_rule(std::string_view bytes) {
  const auto end = std::min(bytes.find('\n'), bytes.size());
  const std::string file = fmt::format("rules/{}", bytes.substr(0, end));
  if (!check_message(file).empty()) return "";  // the caller's path, not what was read
  const auto rule = parse_rule(bytes.substr(std::min(end + 1, bytes.size())), file);
  if (!rule) return check_message(rule.error().message, file);
  (void)firings(*rule, rule->witness.bad, job_of(rule->witness));
  (void)demands(*rule, rule->witness.good, job_of(rule->witness));
  (void)reason_of(*rule);
  for (const Citation& citation : rule->citations) (void)short_name(citation);
  return "";
}

std::string check_evidence(std::string_view bytes) {
  const auto table = parse_evidence(bytes, "e.tsv");
  if (!table) return check_message(table.error().message, "e.tsv");
  const auto again = parse_evidence(print_evidence(*table), "e.tsv");
  if (!again) return "not readable once printed: " + again.error().message;
  return *again == *table ? "" : "not the same when printed and read again";
}

template <class T>
std::string check_file(const Result<T>& read) {
  return read ? "" : check_message(read.error().message, "f.toml");
}

std::string check_space(std::string_view bytes) { return check_file(parse_space(bytes, "f.toml")); }
std::string check_framework(std::string_view bytes) { return check_file(parse_framework(bytes, "f.toml")); }
std::string check_topics(std::string_view bytes) { return check_file(parse_topics(bytes, "f.toml")); }
std::string check_engine(std::string_view bytes) { return check_file(parse_engine_file(bytes, "f.toml")); }

std::string check_glossary(std::string_view bytes) { return check_file(parse_glossary(bytes, "f.toml")); }

// A user's file. Each stack has a name of its own, what is allowed has a day, and the lines are in the file.
std::string check_project(std::string_view bytes) {
  const auto project = parse_project(bytes, "f.toml");
  if (!project) return check_message(project.error().message, "f.toml");
  const auto last = static_cast<int>(std::ranges::count(bytes, '\n')) + 1;
  for (const ProjectStack& stack : project->stacks) {
    if (std::ranges::count(project->stacks, stack.name, &ProjectStack::name) != 1) return "a name that stands twice";
    if (stack.line < 1 || stack.line > last) return "a stack outside the file";
    const auto at = static_cast<std::size_t>(&stack - project->stacks.data());
    const auto rewritten = with_stack(bytes, "f.toml", at, stack.stack);
    if (!rewritten) return "a stack that cannot be written where it stands: " + rewritten.error().message;
  }
  for (const Allow& allow : project->allows) {
    if (!is_date(allow.until)) return "allowed until no day: " + allow.until;
    if (allow.rule.empty() || allow.reason.empty()) return "allowed without a rule or a reason";
    if (allow.line < 1 || allow.line > last) return "an entry outside the file";
  }
  return "";
}

// A file of somebody else's model.
std::string check_config(std::string_view bytes) {
  const auto config = read_config(bytes, "config.json");
  if (!config) {
    const std::string& message = config.error().message;
    return message.starts_with("config.json: ") ? check_message(message) : "no file in the message: " + message;
  }
  for (const auto& [name, size] : config->sizes)
    if (size < 1) return "a size below 1: " + name;
  return config->sizes.empty() ? "no size, and no error" : "";
}

std::vector<std::string> stack_corpus() {
  std::vector<std::string> texts{"", "model", "PP=2 -> TP=2 -> AC",
                                 "FSDP=2:reshard=never@experts(compile:wrap(SAC:policy=a+b:n=2(model)))"};
  for (const Rule& rule : pages())
    for (const Stack& stack : {rule.witness.bad, rule.witness.good}) {
      texts.push_back(print(stack));
      texts.push_back(print_nested(stack));
    }
  return texts;
}

std::vector<std::string> case_corpus() {
  std::vector<std::string> texts{"(nothing)", "ac engine=pytorch arithmetic=plain seed=18446744073709551615 grid=18 steps=2"};
  for (const Rule& rule : pages()) texts.push_back(print(Case{.stack = rule.witness.bad}) + " accumulation=4");
  return texts;
}

std::vector<std::string> pattern_corpus() {
  std::vector<std::string> texts;
  for (const Rule& rule : pages())
    for (const Pattern& pattern : {rule.one, rule.other})
      if (!pattern.any_of.empty()) texts.push_back(print(pattern));
  return texts;
}

std::vector<std::string> condition_corpus() {
  std::vector<std::string> texts{"(0 - 2) % tp == 0 && -pp < 1 || 1.5 < cp"};
  for (const Rule& rule : pages())
    if (rule.when) texts.push_back(rule.when->text);
  return texts;
}

std::vector<std::string> rule_corpus() {
  std::vector<std::string> texts;
  for (const Rule& rule : pages()) texts.push_back(fmt::format("{}/{}.md\n{}", name_of(rule.kind), rule.slug, rule.page));
  return texts;
}

std::vector<std::string> space_corpus() {
  std::vector<std::string> texts;
  for (const char* name : {"space.toml", "space-pytorch.toml", "space-torchtitan.toml"})
    texts.push_back(read_file(kCheckout / "matrix" / name).value());
  return texts;
}

std::vector<std::string> topics_corpus() { return {read_file(kCheckout / "matrix/pages.toml").value()}; }

std::vector<std::string> glossary_corpus() { return texts_below("glossary", ".toml"); }

std::vector<std::string> config_corpus() {
  return {R"({"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "head_dim": null})",
          R"({"text_config": {"n_routed_experts": 256, "vocab_size": 128256}, "vision_config": {"hidden_size": 1}})"};
}

std::vector<std::string> project_corpus() {
  const std::string stack =
      "[[stack]]\nname = \"pretrain\"\nstack = \"pp=2,tp=2,ac,compile,fsdp=2\"\nfor = \"pytorch-2.11\"\n"
      "model = \"train.model:build\"\napply = \"train.parallel:apply\"\n"
      "sizes = { heads = 32, kv_heads = 8, sequence_length = 8192, ranks = 16 }\n";
  return {stack, "rules = [\"own\"]\n" + stack + "[[stack]]\nname = \"tune\"\nstack = \"fsdp=2\"\n",
          stack + "[[allow]]\nrule = \"ORD-010\"\nstack = \"pretrain\"\nreason = \"issue 12\"\nuntil = \"2027-03-01\"\n",
          stack + "[[allow]]\nrule = \"ORD-010\"\nreason = \"issue 12\"\nuntil = 2027-03-01\n"};
}

std::vector<std::string> framework_corpus() { return texts_below("matrix/frameworks", ".toml"); }

std::vector<std::string> engine_corpus() { return texts_below("matrix/engines", ".toml"); }

constexpr const char* kStackWords =
    "= : @ , -> ( ) model pp=2 tp hsdp=2x4 x + reshard=never @experts =1000000 =0 =-1 :n=2 sac \t \n";
constexpr const char* kTomlWords =
    "| none tp=2 accumulation=2 = \" ' \"\"\" [ ] [[ ]] { } # , . \\n \\u0000 \\u000a \\U0010ffff true nan inf -0 1e9 0x1f "
    "1979-05-27 "
    "99999999999999999999 [] {} \"\" "
    "\"a\\nb\" [1,\"a\"] [[point]] [witness] x=1";

}  // namespace

std::vector<Format> text_formats() {
  return {
      {"stack", check_stack, stack_corpus, kStackWords},
      {"case", check_case, case_corpus, "= accumulation=3 seed= model=llama engine=x grid=1 (nothing) , -> steps=1000 \t"},
      {"pattern", check_pattern, pattern_corpus, "| : = ! @ fsdp ac=selective compile:!wrap @block pp:1f1b :n=2"},
      {"condition", check_condition, condition_corpus,
       "% / * + - ( ) { } [ ] == != < >= && || ! ? : ^ , ; = tp pp world 0 1e308 1e18 -1 \"a\" true 0x7fffffffffffffff i e pi"},
      {"rule", check_rule, rule_corpus, kTomlWords},
      {"evidence", check_evidence, tables_corpus,
       "\t \n \\ - \\- equal # = : | : yes: matmul_flops=9223372036854775807 -1 all_gather:tp:forward:1:1"},
      {"space", check_space, space_corpus, kTomlWords},
      {"topics", check_topics, topics_corpus, kTomlWords},
      {"framework", check_framework, framework_corpus, kTomlWords},
      {"engine", check_engine, engine_corpus, kTomlWords},
      {"glossary", check_glossary, glossary_corpus, kTomlWords},
      {"project", check_project, project_corpus, kTomlWords},
      {"config", check_config, config_corpus,
       "{ } [ ] , : \" null true -1 0 1.5 1e30 9223372036854775808 \"hidden_size\" \"text_config\" {} [] \\u0000 [[[[[[[[["}};
}

}  // namespace ordercheck::fuzz
