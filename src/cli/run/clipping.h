// Beside the verdict of a stack that does not clip: what torch.nn.utils.clip_grad_norm_ does under it.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/engine_session.h"
#include "plan/result.h"
#include "rule/rule.h"

namespace ordercheck::cli {

// The verdict of the stack with clipping in words: "clip_grad_norm_ works", "clip_grad_norm_ raises \"...\"; ...". `cure`: the optimizer
// that clips otherwise, where the engine builds one; "" for none.
std::string clipping_in_words(const CaseResult& clipped, const std::string& cure);

// Runs one step of the stack with clipping. "" where that says nothing: the stack clips, is not right without, or runs no collective.
// An error means that the engine could not go on.
Result<std::string> clipping_beside(const CaseResult& result, EngineSession& session, const std::vector<Rule>& rules);

}  // namespace ordercheck::cli
