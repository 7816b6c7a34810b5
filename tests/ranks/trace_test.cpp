// What a run that keeps its tensors tells is laid beside one rank's by step, phase and module: every tensor of a legal layout has the
// bits of one rank's, or the first that differs would be another than it is.
#include <unistd.h>

#include <filesystem>
#include <map>
#include <tuple>

#include "ranks/on_case.h"

namespace ordercheck::ranks {
namespace {

using Place = std::tuple<int, Phase, std::string>;

std::map<Place, TraceEntry> kept(const Case& subject) {
  static int folders = 0;
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("trace_" + std::to_string(getpid()) + "_" + std::to_string(folders++));
  std::filesystem::create_directories(folder);
  at::set_num_threads(1);
  install_saved_tensor_hooks();
  const Record record = run_case({.subject = subject, .keep = Keep::values, .values_folder = folder.string()}, nullptr, {});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(record.ending, Ending::completed) << print(subject);
  std::map<Place, TraceEntry> entries;
  for (const TraceEntry& entry : record.trace)
    EXPECT_TRUE(entries.emplace(Place{entry.step, entry.phase, entry.module}, entry).second)
        << print(subject) << ": " << entry.module << " stands for two tensors";
  return entries;
}

class Trace : public testing::TestWithParam<const char*> {};

TEST_P(Trace, OfALegalLayoutIsThatOfOneRank) {
  Case subject = case_of(GetParam());
  subject.settings.steps = 1;
  const auto owed = kept(reference_of(subject)), got = kept(subject);
  std::size_t modules = 0;
  for (const auto& [place, entry] : got) {
    const auto same = owed.find(place);
    ASSERT_NE(same, owed.end()) << entry.module;
    EXPECT_EQ(entry.shape, same->second.shape) << entry.module;
    EXPECT_TRUE(entry.hash == same->second.hash)
        << (entry.phase == Phase::forward ? "output of " : "gradient of ") << entry.module;
    modules += entry.phase == Phase::forward;
  }
  EXPECT_GE(modules, 20u);
}

// Pieces of the sequence in another order than the sequence's; a module that is called twice, in microbatches and in stages.
INSTANTIATE_TEST_SUITE_P(Layouts, Trace,
                         testing::Values("tp=2,fsdp=2", "cp=2", "cp=3:balance=head_tail",
                                         "tp=2,cp=2:ring:balance=head_tail,fsdp=2",
                                         "cp=4:balance=head_tail model=llama_dropout",
                                         "fsdp=2 model=llama_shared accumulation=2", "pp=2:microbatches=4 model=llama_shared"));

}  // namespace
}  // namespace ordercheck::ranks
