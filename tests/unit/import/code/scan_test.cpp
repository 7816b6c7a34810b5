#include "import/code/scan.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stack/notation.h"

namespace ordercheck {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Scan : public testing::Test {
 protected:
  Scan() : folder_(fs::temp_directory_path() / ("scan" + std::to_string(getpid()))) { fs::create_directories(folder_); }
  ~Scan() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // Of what is printed, without the folder.
  std::string without_folder(std::string text) const {
    const std::string here = folder_.string() + "/";
    for (std::size_t at; (at = text.find(here)) != std::string::npos;) text.erase(at, here.size());
    return text;
  }

  fs::path folder_;
};

constexpr const char* kSetup =
    "from torch.distributed.fsdp import fully_shard\n"
    "import torch\n"
    "def setup(model, dims):\n"
    "    if dims.compile:\n"
    "        model.compile()\n"
    "    shard(model)\n"
    "    registry[dims.kind](model)\n"
    "def shard(model):\n"
    "    for block in model.layers:\n"
    "        fully_shard(block, reshard_after_forward=False)\n";

TEST_F(Scan, PrintsEachStackWithItsPlaces) {
  const auto code = scan_code(write("train.py", kSetup));
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(without_folder(render_scan_text(*code)),
            "train.py:3: setup\n"
            "  compile@model,fsdp:reshard=never\n"
            "    compile  line 5  model.compile           if dims.compile\n"
            "    fsdp     line 6  fully_shard at line 10\n"
            "  not understood: train.py:7: registry[dims.kind](model): what is called is chosen at run time\n"
            "\n"
            "1 stack in 1 file\n");
  EXPECT_THAT(render_scan_json(*code), HasSubstr("\"schema\": \"ordercheck/scan/1\""));
}

TEST_F(Scan, OfAConfigurationTellsDegreesAndWhoFixesTheOrder) {
  const auto code = scan_code(write("config_registry.py",
                                    "def small():\n"
                                    "    return Trainer.Config(parallelism=ParallelismConfig(\n"
                                    "        tensor_parallel_degree=2, data_parallel_shard_degree=4,\n"
                                    "        data_parallel_replicate_degree=2))\n"));
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(without_folder(render_scan_text(*code)),
            "config_registry.py:1: small\n"
            "  tp=2,hsdp=2x4\n"
            "  in the order of torchtitan v0.3.0, models/llama3/parallelize.py 25-90 (2026-09-03)\n"
            "    tp    line 3  parallelism.tensor_parallel_degree\n"
            "    hsdp  line 4  parallelism.data_parallel_replicate_degree\n"
            "\n"
            "1 stack in 1 file\n");
}

TEST_F(Scan, OfAFolderReadsWhatCanBeRead) {
  write("a.py", kSetup);
  write("b/bad.py", "x = (\n");
  const auto code = scan_code(folder_.string());
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_EQ(code->files, 1);
  ASSERT_EQ(code->unread.size(), 1u);
  EXPECT_THAT(without_folder(in_words(code->unread.front())), StartsWith("b/bad.py:1: is not Python"));
  EXPECT_EQ(print(code->stacks.at(0).imported.stack), "compile@model,fsdp:reshard=never");
}

TEST_F(Scan, SaysInALineWhatIsNotCode) {
  const auto error = [](const std::string& path) {
    const auto code = scan_code(path);
    return code ? "" : code.error().message;
  };
  EXPECT_EQ(without_folder(error(write("a.txt", "x"))), "a.txt: a .py file or a folder is expected");
  EXPECT_EQ(without_folder(error((folder_ / "none.py").string())), "none.py: there is no such file or folder");
}

TEST_F(Scan, FindsNothingInAFileThatDoesNotParse) {
  const auto code = scan_code(write("bad.py", "ok = 1\ndef f(:\n"));
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_THAT(without_folder(render_scan_text(*code)), StartsWith("not read: bad.py:2: is not Python"));
  EXPECT_THAT(render_scan_text(*code), EndsWith("no stack found in 0 files\n"));
}

TEST_F(Scan, TellsRemarksFromWhatIsOpenAndNamesTheModels) {
  const std::string one = "    for b in {0}.layers:\n        b.compile()\n    {0}.compile(optimizer=o)\n    fully_shard({0})\n";
  std::string text = "from torch.distributed.fsdp import fully_shard\ndef setup(student_model, teacher_model, o):\n";
  for (const char* model : {"student_model", "teacher_model"}) text += fmt::format(fmt::runtime(one), model);
  const auto code = scan_code(write("a.py", text));
  ASSERT_TRUE(code) << code.error().message;
  const std::string shown = without_folder(render_scan_text(*code));
  EXPECT_THAT(shown, HasSubstr("a.py:2: setup, of student_model\n  compile,fsdp@model\n"));
  EXPECT_THAT(shown, HasSubstr("a.py:2: setup, of teacher_model\n  compile,fsdp@model\n"));
  EXPECT_THAT(shown, HasSubstr("  note: a.py:5: student_model.compile(optimizer=o): it takes an optimizer"));
  EXPECT_THAT(shown, Not(HasSubstr("not understood")));
}

// A comment is about its own line, or about the next line of code if it is alone on its line. Text in a string is no comment.
TEST_F(Scan, FindsCommentsThatSpeakToOrdercheck) {
  const auto code = scan_code(write("a.py",
                                    "x = 1  # ordercheck: ignore[ORD-1] a\n"
                                    "# ordercheck: ignore[ORD-2] b\n"
                                    "# more\n"
                                    "y = '''\n"
                                    "# ordercheck: ignore[ORD-3] c'''  # noqa  # ordercheck: ignore[ORD-4] d\n"
                                    "z = '# ordercheck: ignore[ORD-5] e'  # see `# ordercheck: ignore`\n"));
  ASSERT_TRUE(code);
  const std::string file = (folder_ / "a.py").string();
  EXPECT_EQ(code->directives, (std::vector<Directive>{{{file, 1}, 1, "# ordercheck: ignore[ORD-1] a"},
                                                      {{file, 2}, 4, "# ordercheck: ignore[ORD-2] b"},
                                                      {{file, 5}, 5, "# ordercheck: ignore[ORD-4] d"}}));
}

TEST_F(Scan, EndsWhereItTakesTooLong) {
  const auto code = scan_code(write("a.py", kSetup), std::chrono::milliseconds(1));
  ASSERT_FALSE(code);
  EXPECT_THAT(code.error().message, HasSubstr("did not end within 0.001 s; Python 3.9 or newer reads code"));
}

TEST_F(Scan, AnswersThatAreNoneAreALine) {
  EXPECT_THAT(parse_scan_answer("{").error().message, StartsWith("the reader of code gave no answer that can be read: "));
  EXPECT_EQ(parse_scan_answer(R"({"error": "too\nlarge"})").error().message, "too\\nlarge");
  const auto with = [](const std::string& item) {
    return parse_scan_answer(
        R"({"files": 1, "bad": [], "left_out": [], "not_understood": [], "directives": [], "functions": [{"function": "f", "file": "a.py", "line": 1,
            "not_understood": [], "stacks": [{"where": "", "items": [{"name": ")" +
        item + R"(", "mode": "", "options": [], "scope": "", "file": "a.py", "line": 3, "call": "c", "call_file": "a.py",
            "call_line": 3, "condition": ""}]}]}]})");
  };
  ASSERT_TRUE(with("fsdp"));
  EXPECT_EQ(with("fsdp")->stacks.front().imported.stack.items.front().origin.line, 3);
  EXPECT_THAT(with("fsdb").error().message, StartsWith("the reader of code: a.py:3: unknown transform 'fsdb'"));
  EXPECT_EQ(with("tp,fsdp").error().message, "the reader of code: one item is expected, got 'tp,fsdp'");
}

}  // namespace
}  // namespace ordercheck
