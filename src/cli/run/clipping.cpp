#include "cli/run/clipping.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "stack/mesh.h"
#include "stack/notation.h"
#include "stack/trainer.h"
#include "stack/transforms.h"

namespace ordercheck::cli {
namespace {

constexpr const char* kClip = "clip_grad_norm_";
constexpr const char* kPerMesh = "per_mesh";

bool is_right(Verdict verdict) { return verdict == Verdict::equal || verdict == Verdict::close || verdict == Verdict::ignored; }

bool says_something(const Case& c, Verdict verdict) {
  return is_right(verdict) && !clips(c.stack) && !steps_in_backward(c.stack) && world_size(mesh_of(c.stack)) > 1;
}

std::string note_of_threshold(const Record& record) {
  const auto found =
      std::ranges::find_if(record.notes, [](const std::string& note) { return note.starts_with("clip: no gradient"); });
  return found == record.notes.end() ? "" : *found;
}

}  // namespace

std::string clipping_in_words(const CaseResult& clipped, const std::string& cure) {
  const Observation& seen = clipped.outcome.seen;
  const std::string instead = cure.empty() ? "" : "; a norm of each mesh and of all stages: " + cure;
  const std::string rule = clipped.outcome.prediction.rule;
  const std::string page = rule.empty() ? "" : fmt::format(" ({})", rule);
  if (is_right(seen.verdict)) {
    const std::string untested = note_of_threshold(clipped.record);
    return untested.empty() ? fmt::format("{} works", kClip) : fmt::format("{} is not judged: {}", kClip, untested);
  }
  if (seen.verdict == Verdict::differs)
    return fmt::format("{} clips by another norm than one rank does{}{}", kClip, page, instead);
  if (seen.verdict == Verdict::fails)
    return fmt::format("{} raises \"{}\"{}{}", kClip, split(seen.message, '\n').front(), page, instead);
  return fmt::format("{} is not judged: {}", kClip, name_of(seen.verdict));
}

Result<std::string> clipping_beside(const CaseResult& result, EngineSession& session, const std::vector<Rule>& rules) {
  Case subject = result.outcome.subject;
  if (!says_something(subject, result.outcome.seen.verdict)) return std::string();
  const Hello& hello = session.runner().hello();
  const Stack per_mesh = with_clipping(subject.stack, kPerMesh);
  const std::string cure = unbuilt_parts(per_mesh, hello.transforms).empty() ? print(per_mesh.items.back()) : "";
  subject.stack = with_clipping(subject.stack, kReachedThreshold);
  subject.settings.steps = 1;
  const Plan plan{.engine = hello.engine, .cases = {{.subject = subject, .sources = {}}}, .not_planned = {}};
  const auto clipped = session.run(plan, rules, {.quick = true});
  if (!clipped) return clipped.error();
  if (clipped->cases.empty()) return fmt::format("{} is not judged: {}", kClip, clipped->plan.not_planned.front().reason);
  return clipping_in_words(clipped->cases.front(), cure);
}

}  // namespace ordercheck::cli
