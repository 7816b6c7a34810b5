#include "record/messages.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "record/counters.h"
#include "unit/record/samples.h"

namespace ordercheck {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The error of a line that is owed one; it must be one line.
template <class T>
std::string error_of(const Result<T>& result) {
  if (result) return "no error";
  EXPECT_THAT(result.error().message, Not(HasSubstr("\n")));
  EXPECT_LT(result.error().message.size(), 600u);
  return result.error().message;
}

template <class T>
void expect_round_trip(const T& message) {
  const std::string line = encode(message);
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const Result<WorkerMessage> read = decode_worker(line);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<T>(*read), message);
}

TEST(messages, worker_messages_survive_the_line) {
  expect_round_trip(full_hello());
  expect_round_trip(Progress{.id = 3, .step = 2});
  expect_round_trip(Answer{.id = 9, .record = full_record()});
  Record completed = full_record();
  completed.ending = Ending::completed;
  completed.failure.reset();
  expect_round_trip(Answer{.id = 0, .record = completed});
}

TEST(messages, a_run_survives_the_line) {
  ordercheck::Run run = sample_run();
  EXPECT_EQ(decode_run(encode(run)).value(), run);
  run.fault.reset();
  run.keep = Keep::none;
  run.subject = sample_case("(nothing)");
  EXPECT_EQ(decode_run(encode(run)).value(), run);
}

TEST(messages, every_case_that_the_notation_knows_survives_the_line) {
  for (const char* text :
       {"pp=2:1f1b:microbatches=4,tp=2,ac,compile,fsdp=2:reshard=never", "hsdp=2x4", "ac=selective", "fsdp=4 accumulation=4",
        "compile@model engine=pytorch arithmetic=plain seed=2 grid=18",
        "fsdp=2 model=mine.net:Net engine=pytorch apply=mine.parallel:shard", "tp=2,ac,fsdp=2 model=llama3 engine=torchtitan",
        "ac engine=pytorch batch=mine:pairs loss=mine:loss widen=transformers",
        "fsdp=2 apply=mine:shard optimizer=mine:adam step=mine:step",
        "(nothing) step=mine:step reference_apply=mine:shard reference_ranks=4"}) {
    const Result<Case> subject = parse_case(text);
    ASSERT_TRUE(subject) << text << ": " << subject.error().message;
    const ordercheck::Run run{.id = 1, .subject = *subject};
    EXPECT_EQ(decode_run(encode(run)).value(), run) << text;
  }
}

TEST(messages, a_run_spells_its_case_out_for_engines_that_do_not_parse_it) {
  const Case subject = sample_case("tp,hsdp=2x4:mp=bf16 apply=mine.parallel:shard accumulation=4 arithmetic=float32");
  const json run = json::parse(encode(ordercheck::Run{.subject = subject}));
  const auto axis = [](const char* name, int degree, const char* splits) {
    return json{{"axis", name}, {"degree", degree}, {"splits", splits}};
  };
  EXPECT_EQ(run["case"]["mesh"],
            json::array({axis("pp", 1, "layers"), axis("dp_replicate", 2, "batch"), axis("dp_shard", 4, "batch"),
                         axis("cp", 1, "sequence"), axis("tp", 2, "tensors")}));
  EXPECT_EQ(run["case"]["apply"], "mine.parallel:shard");
  const json none = json::array(), mixed = json::array({{{"name", "mp"}, {"value", "bf16"}}});
  json tp = {{"name", "tp"},     {"degrees", none}, {"mode", ""},       {"options", none},
             {"scope", "model"}, {"axes", {"tp"}},  {"kind", "layout"}, {"casts", ""}};
  json hsdp = {{"name", "hsdp"},   {"degrees", {2, 4}}, {"mode", ""},
               {"options", mixed}, {"scope", "block"},  {"axes", {"dp_replicate", "dp_shard"}},
               {"kind", "layout"}, {"casts", "hsdp:mp"}};
  EXPECT_EQ(run["case"]["items"], json::array({tp, hsdp}));
  hsdp["degrees"] = {1, 1};
  tp["degrees"] = {1};  // the function casts on one rank too, and its mesh has the axes of the stack
  EXPECT_EQ(run["case"]["on_one_rank"], json::array({tp, hsdp}));
  EXPECT_EQ(run["case"]["settings"]["accumulation"], 4);
}

TEST(messages, a_run_names_the_counters_and_the_phases_in_order) {
  json run = json::parse(encode(sample_run()));
  EXPECT_EQ(run["counters"].size(), kCounters.size() + kModelled.size());
  EXPECT_EQ(run["counters"][0], "operators_recomputed");
  EXPECT_EQ(run["phases"], (json{"build", "apply", "forward", "recompute", "backward", "optimizer", "observe"}));
  std::swap(run["phases"][0], run["phases"][1]);
  EXPECT_THAT(error_of(decode_run(run.dump())), HasSubstr("at phases"));
}

TEST(messages, a_run_whose_spelling_contradicts_its_text_is_refused) {
  json run = json::parse(encode(sample_run()));
  run["case"]["mesh"][4]["degree"] = 4;
  EXPECT_THAT(error_of(decode_run(run.dump())), AllOf(HasSubstr("case.mesh"), HasSubstr("'[{\"axis\":\"pp\",")));
}

TEST(messages, a_counter_that_was_not_measured_survives_the_line_and_nothing_less_is_taken) {
  Record record = full_record();
  record.counters.matmul_flops = -1;
  EXPECT_EQ(decode_record(encode_record(record)).value(), record);
  json less = json::parse(encode_record(record));
  less["counters"]["matmul_flops"] = -2;
  EXPECT_THAT(error_of(decode_record(less.dump())), HasSubstr("matmul_flops"));
}

TEST(messages, a_run_with_an_unknown_transform_says_so) {
  json run = json::parse(encode(sample_run()));
  run["case"]["text"] = "fsdb=2";
  const auto read = decode_run(run.dump());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("case.text"), HasSubstr("fsdb"), Not(HasSubstr("\n"))));
}

// Found by fuzzing: the validator repeats names as they are.
TEST(messages, a_strange_name_stays_on_the_line) {
  for (const char* name : {"a\nb", "a\177z"}) {
    json hello = json::parse(encode(full_hello()));
    hello[name] = 1;
    EXPECT_THAT(error_of(decode_worker(hello.dump())), AllOf(HasSubstr("hello: "), Not(HasSubstr(name))));
  }
}

// Every object of every message: a field too many and a field too few are both refused.
void expect_strict(const json& whole, const json::json_pointer& at, const std::function<bool(const json&)>& accepted) {
  ASSERT_TRUE(accepted(whole));
  const json& here = whole[at];
  if (here.is_object()) {
    json more = whole;
    more[at]["surplus"] = 1;
    EXPECT_FALSE(accepted(more)) << "accepted a surplus field at '" << at.to_string() << "'";
    for (const auto& [name, value] : here.items()) {
      json less = whole;
      less[at].erase(name);
      EXPECT_FALSE(accepted(less)) << "accepted the absence of " << name << " at '" << at.to_string() << "'";
      json other = whole;
      other[at][name] = value.is_string() ? json(1) : json("x");
      EXPECT_FALSE(accepted(other)) << "accepted another type of " << name << " at '" << at.to_string() << "'";
      expect_strict(whole, at / name, accepted);
    }
  } else if (here.is_array()) {
    for (std::size_t i = 0; i < here.size(); ++i) expect_strict(whole, at / i, accepted);
  }
}

TEST(messages, unknown_missing_and_mistyped_fields_are_refused_everywhere) {
  const auto by_worker = [](const json& value) { return bool(decode_run(value.dump())); };
  const auto by_supervisor = [](const json& value) { return bool(decode_worker(value.dump())); };
  expect_strict(json::parse(encode(full_hello())), json::json_pointer(), by_supervisor);
  expect_strict(json::parse(encode(sample_run())), json::json_pointer(), by_worker);
  expect_strict(json::parse(encode(Progress{})), json::json_pointer(), by_supervisor);
  expect_strict(json::parse(encode(Answer{.id = 1, .record = full_record()})), json::json_pointer(), by_supervisor);
}

TEST(messages, errors_name_the_place_what_was_expected_and_what_was_there) {
  json answer = json::parse(encode(Answer{.id = 1, .record = full_record()}));
  answer["record"]["steps"][0]["loss"][1] = "0.25";
  EXPECT_THAT(error_of(decode_worker(answer.dump())),
              AllOf(HasSubstr("record: at steps[0].loss[1]: "), HasSubstr("'\"0.25\"'")));
  EXPECT_THAT(error_of(decode_worker("[1]")), AllOf(HasSubstr("expected one JSON object"), HasSubstr("'[1]'")));
  EXPECT_THAT(error_of(decode_worker("{\"type\":\"hi\"}")), HasSubstr("hello, progress or record"));
  EXPECT_THAT(error_of(decode_worker("{}")), HasSubstr("a message with a type"));
  EXPECT_THAT(error_of(decode_worker("{\"type\":\"progress\",\"id\":1,\"step\":1} tail")), HasSubstr("tail"));
  EXPECT_THAT(error_of(decode_worker("{\"type\":\"progress\",\"id\":1,\"id\":2,\"step\":1}")), HasSubstr("'id'"));
  EXPECT_THAT(error_of(decode_worker("{\"type\":\"progress\",\"id\":18446744073709551615,\"step\":1}")),
              HasSubstr("18446744073709551615"));
  json hello = json::parse(encode(full_hello()));
  hello["protocol"] = 1;
  EXPECT_THAT(error_of(decode_worker(hello.dump())), AllOf(HasSubstr("at protocol"), HasSubstr("got '1'")));
}

TEST(messages, a_long_line_is_quoted_in_part) {
  EXPECT_THAT(error_of(decode_worker(std::string(100000, 'x'))), HasSubstr("(and 99880 more bytes)"));
}

TEST(messages, deep_nesting_is_refused_and_not_followed) {
  const std::string deep = "{\"type\":" + std::string(200000, '[') + std::string(200000, ']') + "}";
  EXPECT_THAT(error_of(decode_worker(deep)), HasSubstr("levels of nesting"));
}

TEST(messages, the_schema_says_which_records_owe_a_failure) {
  json record = json::parse(encode_record(full_record()));
  record["ending"] = "completed";
  EXPECT_THAT(error_of(decode_record(record.dump())), HasSubstr("ending completed with a failure"));
  record["ending"] = "died";
  record["failure"] = nullptr;
  EXPECT_THAT(error_of(decode_record(record.dump())), HasSubstr("ending died without a failure"));
}

TEST(messages, bits_survive_that_no_decimal_would_carry) {
  Record record = full_record();
  record.range_used = std::numeric_limits<double>::infinity();
  record.steps[0].loss = {{0x7ff8000000000001}, {0x0000000000000001}, {0x8000000000000000}};
  EXPECT_EQ(decode_record(encode_record(record)).value(), record);
}

TEST(messages, text_that_is_no_utf8_is_written_with_a_replacement) {
  Record record = full_record();
  record.failure->message = "bad \xff byte";
  EXPECT_EQ(decode_record(encode_record(record))->failure->message, "bad \xef\xbf\xbd byte");
}

// Whether a line ended in a value, or in an error that says something. (RC_ASSERT does not short-circuit.)
template <class T>
bool value_or_one_error(const Result<T>& result) {
  return result || !result.error().message.empty();
}

RC_GTEST_PROP(messages, arbitrary_bytes_end_in_a_value_or_one_error, (const std::string& bytes)) {
  RC_ASSERT(value_or_one_error(decode_worker(bytes)));
  RC_ASSERT(value_or_one_error(decode_run(bytes)));
  RC_ASSERT(value_or_one_error(decode_record(bytes)));
}

// Mutations of real lines come much further into the codec than arbitrary bytes.
RC_GTEST_PROP(messages, damaged_lines_end_in_a_value_or_one_error, ()) {
  std::string line = *rc::gen::element(encode(full_hello()), encode(sample_run()), encode(Progress{}),
                                       encode(Answer{.id = 1, .record = full_record()}));
  const auto damages = *rc::gen::inRange(1, 4);
  for (int i = 0; i < damages; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0: line[at] = *rc::gen::arbitrary<char>(); break;
      case 1: line.erase(at, *rc::gen::inRange<std::size_t>(1, 40)); break;
      default: line.insert(at, *rc::gen::element<std::string>("1", "\"", "{", "]", ",", "-", "e9", "null", "\\u"));
    }
    if (line.empty()) line = " ";
  }
  RC_ASSERT(value_or_one_error(decode_worker(line)));
  RC_ASSERT(value_or_one_error(decode_run(line)));
}

RC_GTEST_PROP(messages, numbers_and_texts_of_a_record_survive, ()) {
  Record record = full_record();
  record.case_text = *rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  record.failure->sequence = *rc::gen::inRange<std::int64_t>(-1, std::numeric_limits<std::int64_t>::max());
  record.counters.matmul_flops = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
  record.steps[1].loss = {{*rc::gen::arbitrary<std::uint64_t>()}};
  record.parameters[0].value = {{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()}};
  RC_ASSERT(decode_record(encode_record(record)).value() == record);
}

}  // namespace
}  // namespace ordercheck
