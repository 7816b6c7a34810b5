// Renders a matrix as Markdown for the summary of a CI job.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/ci/matrix_report.h"

namespace ordercheck {

// Every CI system shows summaries of this size in full.
inline constexpr std::size_t kJobSummaryBytes = 64 * 1024;

// Lists unexplained contradictions first, then counts, then the rest collapsed. The result is shorter than `at_most`; it states
// how many items were omitted.
std::string render_job_summary(const std::vector<ReportedBuild>& builds, std::size_t at_most = kJobSummaryBytes);

// Escapes text for use inside Markdown: no markup, no HTML, no line breaks.
std::string plain_in_markdown(std::string_view text);

}  // namespace ordercheck
