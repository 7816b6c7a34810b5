#include "native/world/rank_process.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "native/world/current_module.h"
#include "native/world/gloo_backend.h"
#include "native/world/rank_groups.h"
#include "native/world/rank_stream.h"
#include "record/record_codec.h"

namespace ordercheck::ranks {
namespace {

using nlohmann::json;

void write_whole(int descriptor, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(descriptor, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) std::_Exit(2);  // the parent died
    sent += static_cast<std::size_t>(count);
  }
}

// Creates and registers the backends of all process groups that the rank is in.
void connect(const RankStart& start, RankState& state, Waiting& waiting, RegisteredGroups& groups) {
  waiting.begin();
  c10::intrusive_ptr<ProcessBackend> last;  // "world", which has all ranks
  for (const RankGroup& group : groups_of_ranks(start.mesh)) {
    if (std::ranges::find(group.ranks, state.rank) == group.ranks.end()) continue;
    if (start.options.make_backend) {
      // Groups along an axis share its name but have different first ranks. The first rank makes the key unique.
      const std::string name = fmt::format("{}.{}", group.name, group.ranks.front());
      const auto store = start.meeting.store_of(name, static_cast<int>(group.ranks.size()));
      last = start.options.make_backend(group, store, state, waiting);
    } else {
      last = c10::make_intrusive<GlooBackend>(group, start.meeting, state, waiting);
    }
    groups.add(group.name, last->getRank(), last->getSize(), state.device.type(), last);
  }
  if (last) last->meet();
  waiting.end();
  start.meeting.met();
}

std::string place_at_end(const RankState& state, bool threw) {
  FlightSlot place = place_of(state);
  place.finished = !threw;
  return describe(state.rank, place);
}

}  // namespace

std::string encode(const RankAnswerOfProcess& answer) {
  json value{
      {"step", answer.step}, {"where", answer.where}, {"bytes", json::binary({answer.bytes.begin(), answer.bytes.end()})}};
  if (answer.thrown) {
    Record record;
    record.ending = answer.thrown->ending;
    record.failure = answer.thrown->failure;
    value["thrown"] = json_of(record);
  }
  const std::vector<std::uint8_t> cbor = json::to_cbor(value);
  return {cbor.begin(), cbor.end()};
}

RankAnswerOfProcess decode_rank_answer_of_process(const std::string& text) {
  const json value = json::from_cbor(text);
  const json::binary_t& bytes = value.at("bytes").get_binary();
  RankAnswerOfProcess answer{
      .thrown = {}, .step = value.at("step"), .where = value.at("where"), .bytes = {bytes.begin(), bytes.end()}};
  if (value.contains("thrown")) {
    const auto record = record_of(value.at("thrown"));
    if (!record) throw std::runtime_error(record.error().message);
    answer.thrown = WorldResult{.ending = record->ending, .failure = record->failure};
  }
  return answer;
}

void be_rank(const RankStart& start, int rank, Waiting& waiting, int answers, int release) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != start.parent) std::_Exit(2);  // the parent died before prctl()
  // Ignore SIGPIPE, as Python does: a Gloo write to a dead rank must fail here, not kill this process.
  std::signal(SIGPIPE, SIG_IGN);
  pthread_setname_np(pthread_self(), fmt::format("rank {}", rank).c_str());
  at::set_num_threads(1);
  RankState state(rank, start.mesh, start.options.flight, start.options.fault, device_of_rank(start.options, rank));
  const RankScope scope(state);
  RegisteredGroups groups;
  RankAnswerOfProcess answer;
  answer.thrown = run_body(
      [&](RankState& self) {
        connect(start, self, waiting, groups);
        answer.bytes = start.body(self);
      },
      state);
  answer.step = state.step();
  answer.where = place_at_end(state, answer.thrown.has_value());
  if (!answer.thrown && state.flight()) state.flight()->finished(rank);
  const std::string text = encode(answer);
  // Send the length first: take() needs it to detect a complete answer.
  const std::uint64_t size = text.size();
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  write_whole(answers, framed + text);
  char nothing;
  while (read(release, &nothing, 1) < 0 && errno == EINTR) {
  }
  std::_Exit(0);
}

RankProcess::RankProcess(RankProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      answers_(std::move(other.answers_)),
      text_(std::move(other.text_)),
      answer_(std::move(other.answer_)) {}

RankProcess::~RankProcess() {
  if (process_ < 0) return;
  kill();
  reap();
}

bool RankProcess::take() {
  char part[1 << 16];
  const ssize_t count = read(answers_.number(), part, sizeof part);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  text_.append(part, static_cast<std::size_t>(count));
  std::uint64_t size;
  if (text_.size() < sizeof size) return true;
  std::memcpy(&size, text_.data(), sizeof size);
  if (text_.size() == sizeof size + size) answer_ = decode_rank_answer_of_process(answer_text());
  return true;
}

void RankProcess::kill() const { ::kill(process_, SIGKILL); }

int RankProcess::reap() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

RankProcess start_rank(const RankStart& start, int rank, Waiting& waiting, Pipe& release) {
  Pipe pipe = make_pipe();
  const pid_t process = fork();
  if (process == 0) {
    release.write.close();
    be_rank(start, rank, waiting, pipe.write.number(), release.read.number());
  }
  if (process < 0) throw std::system_error(errno, std::generic_category(), "could not start a process");
  return RankProcess(process, std::move(pipe.read));
}

}  // namespace ordercheck::ranks
