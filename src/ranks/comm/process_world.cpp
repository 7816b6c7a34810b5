#include "ranks/comm/process_world.h"

#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include "protocol/record_codec.h"
#include "ranks/comm/gloo_backend.h"
#include "ranks/comm/rank_body.h"
#include "ranks/comm/rank_groups.h"
#include "ranks/comm/registered_groups.h"

namespace ordercheck::ranks {
namespace {

using nlohmann::json;

// How long ranks that wait must have done nothing at all before what a rank threw is told: Gloo needs some time to pass on what was sent.
constexpr std::chrono::milliseconds kAtRest{200};
constexpr std::chrono::milliseconds kLook{20};

// Closed when this goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "could not make a pipe to a rank");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ordercheck-world-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), "could not make a folder like " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A word a rank, in memory that children of this process share with it.
class SharedWaiting {
 public:
  explicit SharedWaiting(int ranks) : bytes_(sizeof(Waiting) * static_cast<std::size_t>(ranks)) {
    void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "could not share memory with ranks");
    words_ = static_cast<Waiting*>(memory);
    for (int rank = 0; rank < ranks; ++rank) new (words_ + rank) Waiting;
  }
  ~SharedWaiting() { munmap(words_, bytes_); }
  SharedWaiting(const SharedWaiting&) = delete;
  Waiting& of(int rank) { return words_[rank]; }

 private:
  std::size_t bytes_;
  Waiting* words_;
};

// What a rank's process hands back.
struct Answer {
  std::optional<WorldResult> thrown;
  int step = 0;
  std::string bytes;  // when it threw nothing
};

std::string encode_answer(const Answer& answer) {
  json value{{"step", answer.step}, {"bytes", json::binary({answer.bytes.begin(), answer.bytes.end()})}};
  if (answer.thrown) {
    Record record;
    record.ending = answer.thrown->ending;
    record.failure = answer.thrown->failure;
    value["thrown"] = json_of(record);
  }
  const std::vector<std::uint8_t> cbor = json::to_cbor(value);
  return {cbor.begin(), cbor.end()};
}

Answer decode_answer(const std::string& text) {
  const json value = json::from_cbor(text);
  const json::binary_t& bytes = value.at("bytes").get_binary();
  Answer answer{.thrown = {}, .step = value.at("step"), .bytes = {bytes.begin(), bytes.end()}};
  if (value.contains("thrown")) {
    const auto record = record_of(value.at("thrown"));
    if (!record) throw std::runtime_error(record.error().message);
    answer.thrown = WorldResult{.ending = record->ending, .failure = record->failure};
  }
  return answer;
}

void write_whole(int descriptor, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(descriptor, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::_Exit(2);  // the parent is gone
    sent += static_cast<std::size_t>(count);
  }
}

struct Start {
  pid_t parent;
  const Mesh& mesh;
  const WorldOptions& options;
  const std::string& folder;
  const std::function<std::string(RankState&)>& body;
};

// Several groups have one name, of which a rank is in one: with their first rank it is this one's alone.
c10::intrusive_ptr<c10d::Store> store_of(const RankGroup& group, const std::string& folder) {
  return c10::make_intrusive<c10d::FileStore>(folder + "/" + group.name + "." + std::to_string(group.ranks.front()),
                                              static_cast<int>(group.ranks.size()));
}

// The groups of one rank. `folder` is gone when this returns: all ranks have found each other by then, and one that dies later
// leaves nothing behind.
void connect(const Start& start, RankState& state, Waiting& waiting, RegisteredGroups& groups) {
  waiting.begin();
  c10::intrusive_ptr<ProcessBackend> last;  // all ranks are in it
  for (const RankGroup& group : groups_of_ranks(start.mesh)) {
    if (std::ranges::find(group.ranks, state.rank) == group.ranks.end()) continue;
    if (start.options.make_backend) {
      last = start.options.make_backend(group, store_of(group, start.folder), state, waiting);
    } else {
      last = c10::make_intrusive<GlooBackend>(group, start.folder, state, waiting);
    }
    groups.add(group.name, last->getRank(), last->getSize(), state.device.type(), last);
  }
  if (last) last->meet();
  waiting.end();
  std::error_code ignored;
  if (state.rank == 0) std::filesystem::remove_all(start.folder, ignored);
}

[[noreturn]] void be_rank(const Start& start, int rank, Waiting& waiting, int answers, int release) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) std::_Exit(2);  // it died before
  pthread_setname_np(pthread_self(), fmt::format("rank {}", rank).c_str());
  at::set_num_threads(1);
  RankState state(rank, start.mesh, start.options.flight, start.options.fault, device_of_rank(start.options, rank));
  const RankScope scope(state);
  RegisteredGroups groups;
  Answer answer;
  answer.thrown = run_body(
      [&](RankState& self) {
        connect(start, self, waiting, groups);
        answer.bytes = start.body(self);
      },
      state);
  answer.step = state.step();
  if (!answer.thrown && state.flight()) state.flight()->finished(rank);
  const std::string text = encode_answer(answer);
  const std::uint64_t size = text.size();
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  write_whole(answers, framed + text);
  char nothing;
  while (read(release, &nothing, 1) < 0 && errno == EINTR) {
  }
  std::_Exit(0);
}

// Killed and reaped when this goes, if it was not reaped before: no rank outlives its world.
class RankProcess {
 public:
  RankProcess(pid_t process, Descriptor answers) : process_(process), answers_(std::move(answers)) {}
  RankProcess(RankProcess&& other) noexcept
      : process_(std::exchange(other.process_, -1)),
        answers_(std::move(other.answers_)),
        text_(std::move(other.text_)),
        answer_(std::move(other.answer_)) {}
  RankProcess& operator=(RankProcess&&) = delete;
  ~RankProcess() {
    if (process_ < 0) return;
    kill();
    reap();
  }

  int descriptor() const { return answers_.number(); }
  const std::optional<Answer>& answer() const { return answer_; }

  // What has come by now. False when the rank's process ended without an answer.
  bool take() {
    char part[1 << 16];
    const ssize_t count = read(answers_.number(), part, sizeof part);
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    text_.append(part, static_cast<std::size_t>(count));
    std::uint64_t size;
    if (text_.size() < sizeof size) return true;
    std::memcpy(&size, text_.data(), sizeof size);
    if (text_.size() == sizeof size + size) answer_ = decode_answer(text_.substr(sizeof size));
    return true;
  }

  void kill() const { ::kill(process_, SIGKILL); }
  // How it ended; waits until it has.
  int reap() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_;
  Descriptor answers_;
  std::string text_;
  std::optional<Answer> answer_;
};

// Ends this process by the signal or with the exit code that ended a rank's, so that the supervisor sees a worker that died and
// finds the rank in the flight file.
[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) std::_Exit(WEXITSTATUS(status));
  std::signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  std::_Exit(128 + WTERMSIG(status));
}

[[noreturn]] void end_with(std::vector<RankProcess>& ranks, RankProcess& dead) {
  const int status = dead.reap();
  ranks.clear();
  end_as(status);
}

class World {
 public:
  World(std::vector<RankProcess> ranks, SharedWaiting& waiting) : ranks_(std::move(ranks)), waiting_(waiting) {}

  // Until every rank has answered, or one threw and the others wait.
  void run() {
    while (!is_over()) {
      std::vector<pollfd> listened;
      std::vector<RankProcess*> listened_to;
      for (RankProcess& rank : ranks_) {
        if (rank.answer()) continue;
        listened.push_back({.fd = rank.descriptor(), .events = POLLIN, .revents = 0});
        listened_to.push_back(&rank);
      }
      poll(listened.data(), listened.size(), any_threw() ? static_cast<int>(kLook.count()) : -1);
      for (std::size_t i = 0; i < listened.size(); ++i)
        if (listened[i].revents != 0 && !listened_to[i]->take()) end_with(ranks_, *listened_to[i]);
    }
  }

  void end(Descriptor& release) {
    release.close();
    for (RankProcess& rank : ranks_) {
      if (!rank.answer()) rank.kill();
      rank.reap();
    }
  }

  WorldResult result() const {
    const Answer* first = nullptr;
    for (const RankProcess& rank : ranks_)
      if (rank.answer() && rank.answer()->thrown && (!first || rank.answer()->step < first->step)) first = &*rank.answer();
    return first ? *first->thrown : WorldResult{};
  }

  std::string bytes_of(std::size_t rank) const { return ranks_[rank].answer()->bytes; }

 private:
  bool any_threw() const {
    return std::ranges::any_of(ranks_, [](const RankProcess& rank) { return rank.answer() && rank.answer()->thrown; });
  }

  bool is_over() {
    if (std::ranges::all_of(ranks_, [](const RankProcess& rank) { return rank.answer().has_value(); })) return true;
    if (!any_threw()) return false;
    std::vector<std::uint64_t> words;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      words.push_back(ranks_[rank].answer() ? 1 : waiting_.of(static_cast<int>(rank)).word());
    const auto now = std::chrono::steady_clock::now();
    if (words != words_ || !std::ranges::all_of(words, Waiting::is_waiting)) words_ = words, still_since_ = now;
    return now - still_since_ >= kAtRest;
  }

  std::vector<RankProcess> ranks_;
  SharedWaiting& waiting_;
  std::vector<std::uint64_t> words_;
  std::chrono::steady_clock::time_point still_since_;
};

}  // namespace

WorldResult run_process_world(const Mesh& mesh, const WorldOptions& options, const std::function<std::string(RankState&)>& body,
                              std::vector<std::string>& answers) {
  assert(!find_rank() && "a world is not started from inside a rank");
  const TemporaryFolder folder;
  SharedWaiting waiting(world_size(mesh));
  const Start start{.parent = getpid(), .mesh = mesh, .options = options, .folder = folder.path(), .body = body};
  Pipe release = make_pipe();
  std::vector<RankProcess> ranks;
  for (int rank = 0; rank < world_size(mesh); ++rank) {
    Pipe pipe = make_pipe();
    const pid_t process = fork();
    if (process == 0) {
      release.write.close();
      be_rank(start, rank, waiting.of(rank), pipe.write.number(), release.read.number());
    }
    if (process < 0) {
      const std::string why = std::generic_category().message(errno);
      return thrown_by(RankState(rank, mesh, options.flight, options.fault), Ending::failed,
                       fmt::format("could not start a process: {}", why));
    }
    ranks.emplace_back(process, std::move(pipe.read));
  }
  World world(std::move(ranks), waiting);
  world.run();
  world.end(release.write);
  const WorldResult result = world.result();
  answers.clear();
  if (result.ending == Ending::completed)
    for (int rank = 0; rank < world_size(mesh); ++rank) answers.push_back(world.bytes_of(static_cast<std::size_t>(rank)));
  return result;
}

}  // namespace ordercheck::ranks
