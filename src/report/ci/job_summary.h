// A matrix as Markdown for the summary of a CI job.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/ci/matrix_report.h"

namespace ordercheck {

// What a summary may hold and still be shown whole everywhere.
inline constexpr std::size_t kJobSummaryBytes = 64 * 1024;

// Unexplained contradictions first, then counts, then the rest collapsed. Shorter than `at_most`: what does not fit is counted,
// and the text says so.
std::string render_job_summary(const std::vector<ReportedBuild>& builds, std::size_t at_most = kJobSummaryBytes);

// Text among Markdown: nothing in it is markup or HTML, and it has no line break.
std::string plain_in_markdown(std::string_view text);

}  // namespace ordercheck
