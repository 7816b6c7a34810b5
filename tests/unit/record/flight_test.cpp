#include "record/flight.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

#include "record/flight_layout.h"

namespace ordercheck {
namespace {

using testing::HasSubstr;

class FlightFile : public testing::Test {
 protected:
  FlightFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flight-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "flight";
  }
  ~FlightFile() override { std::filesystem::remove_all(folder_); }

  std::string error() const {
    const auto slots = read_flight(path_);
    return slots ? "no error" : slots.error().message;
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(FlightFile, tells_where_every_rank_is) {
  auto recorder = FlightRecorder::create(path_, 3).value();
  recorder->at_step(0, 2, Phase::backward);
  recorder->at_module(1, Phase::forward, "layers.1.attention");
  recorder->at_collective(1, "all_gather", "tp", 7, "float64 [4, 24, 48]");
  const std::vector<FlightSlot> slots = read_flight(path_).value();
  ASSERT_EQ(slots.size(), 3u);
  EXPECT_EQ(describe(0, slots[0]), "rank 0: backward");
  EXPECT_EQ(slots[0].step, 2);
  EXPECT_EQ(describe(1, slots[1]), "rank 1: forward, layers.1.attention, in all_gather #7 on tp, float64 [4, 24, 48]");
  EXPECT_GT(slots[1].ticket, slots[0].ticket);
  EXPECT_FALSE(slots[2].used);
  EXPECT_EQ(describe(2, slots[2]), "rank 2: wrote nothing");
  EXPECT_EQ(describe(3, {.used = true, .module = "a\nb\x01"}), "rank 3: build, a\\nb\\x01") << "a dead program's bytes";

  recorder->left_collective(1);
  recorder->finished(0);
  const std::vector<FlightSlot> later = read_flight(path_).value();
  EXPECT_EQ(later[1].operation, "");
  EXPECT_EQ(later[1].module, "layers.1.attention");
  EXPECT_TRUE(later[0].finished);
}

TEST_F(FlightFile, cuts_long_texts_to_what_a_slot_holds) {
  auto recorder = FlightRecorder::create(path_, 1).value();
  recorder->at_module(0, Phase::forward, std::string(500, 'm'));
  recorder->at_collective(0, std::string(500, 'o'), std::string(500, 'g'), 1, std::string(500, 's'));
  const FlightSlot slot = read_flight(path_).value()[0];
  EXPECT_EQ(slot.module, std::string(95, 'm'));
  EXPECT_EQ(slot.operation, std::string(47, 'o'));
  EXPECT_EQ(slot.group, std::string(23, 'g'));
  EXPECT_EQ(slot.shape, std::string(47, 's'));
}

TEST_F(FlightFile, a_slot_whose_writer_died_in_the_middle_is_torn) {
  auto recorder = FlightRecorder::create(path_, 2).value();
  recorder->at_module(0, Phase::forward, "norm");
  recorder->at_module(1, Phase::forward, "norm");
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(sizeof(flight::Header) + sizeof(flight::Slot));
  const std::uint64_t odd = 3;
  file.write(reinterpret_cast<const char*>(&odd), sizeof(odd));
  file.close();
  const std::vector<FlightSlot> slots = read_flight(path_).value();
  EXPECT_FALSE(slots[0].torn);
  EXPECT_TRUE(slots[1].torn);
  EXPECT_EQ(slots[1].module, "");
  EXPECT_THAT(describe(1, slots[1]), HasSubstr("cut off while writing"));
}

// A writer that changes all texts together: a reader that mixed two writes would see two of them disagree.
TEST_F(FlightFile, a_reader_sees_one_write_and_never_a_mixture) {
  auto recorder = FlightRecorder::create(path_, 1).value();
  recorder->at_collective(0, std::string(40, 'a'), std::string(20, 'a'), 0, std::string(40, 'a'));
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      const char letter = static_cast<char>('a' + i % 26);
      recorder->at_collective(0, std::string(40, letter), std::string(20, letter), i % 26, std::string(40, letter));
    }
  });
  int whole = 0;
  for (int i = 0; i < 2000; ++i) {
    const FlightSlot slot = read_flight(path_).value()[0];
    if (slot.torn) continue;
    ++whole;
    const char letter = static_cast<char>('a' + slot.sequence);
    ASSERT_EQ(slot.operation, std::string(40, letter));
    ASSERT_EQ(slot.group, std::string(20, letter));
    ASSERT_EQ(slot.shape, std::string(40, letter));
  }
  stop = true;
  writer.join();
  EXPECT_GT(whole, 0);
}

TEST_F(FlightFile, survives_a_crash_and_names_the_thread_that_raised_it) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto recorder = FlightRecorder::create(path_, 2).value();
    recorder->at_module(1, Phase::forward, "layers.0");
    std::thread([&] {
      recorder->at_module(0, Phase::backward, "layers.1");
      std::thread([&] { recorder->at_module(1, Phase::forward, "layers.0"); }).join();
      abort();
    }).join();
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  const std::vector<FlightSlot> slots = read_flight(path_).value();
  EXPECT_EQ(slots[0].fatal_signal, SIGABRT);
  EXPECT_EQ(slots[0].module, "layers.1");
  EXPECT_EQ(slots[1].fatal_signal, 0);
  EXPECT_GT(slots[1].ticket, slots[0].ticket);
}

TEST_F(FlightFile, what_is_no_flight_file_is_one_error_naming_it) {
  EXPECT_THAT(error(), HasSubstr(path_.string() + ": cannot open it: No such file"));
  std::ofstream(path_) << "short";
  EXPECT_THAT(error(), HasSubstr("expected at least a header of 64 bytes, got 5 bytes"));
  std::ofstream(path_) << std::string(1000, 'x');
  EXPECT_THAT(error(), HasSubstr("magic"));
  (void)FlightRecorder::create(path_, 4).value();
  std::filesystem::resize_file(path_, 64 + 3 * 256);
  EXPECT_THAT(error(), HasSubstr("expected 1088 bytes for 4 ranks, got 832 bytes"));
  std::filesystem::resize_file(path_, 12);
  std::fstream(path_, std::ios::in | std::ios::out).seekp(8).put('\x09');
  std::filesystem::resize_file(path_, 64);
  EXPECT_THAT(error(), HasSubstr("got version 9"));
}

TEST_F(FlightFile, is_whole_from_the_moment_it_is_there) {
  std::atomic<bool> done = false;
  std::thread maker([&] {
    for (int i = 0; i < 300; ++i) (void)FlightRecorder::create(path_, 8).value();
    done = true;
  });
  std::string odd;
  while (!done) {
    const std::string told = error();
    if (told != "no error" && told.find("No such file") == std::string::npos) odd = told;
  }
  maker.join();
  EXPECT_EQ(odd, "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "nothing else is left behind";
}

TEST_F(FlightFile, errors_of_creating_name_the_path) {
  const auto nowhere = FlightRecorder::create(folder_ / "none" / "flight", 1);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("none/flight: cannot create it"));
  EXPECT_FALSE(FlightRecorder::create(path_, 0));
}

}  // namespace
}  // namespace ordercheck
