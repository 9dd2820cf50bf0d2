// The sections of a run's page. Each writes its <section>, even if the input has nothing for it.

#ifndef SHAPEWISE_REPORT_HTML_SECTIONS_H_
#define SHAPEWISE_REPORT_HTML_SECTIONS_H_

#include <nlohmann/json.hpp>

#include "report/html_out.h"
#include "report/run_clocks.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"
#include "shapewise/result/run_page.h"

namespace shapewise {

/// The number of rows of a table shown at first; the script adds as many on request.
inline constexpr size_t kRowsAtOnce = 200;

/// The input of all sections.
struct PageInput {
  const LintResult& result;
  const Session& session;
  const RunPage& page;
  const RunClocks& clocks;
};

void WriteVerdict(const PageInput& input, HtmlOut& html);
void WriteTimeline(const PageInput& input, HtmlOut& html);
void WriteCauses(const PageInput& input, HtmlOut& html);
void WriteSizes(const PageInput& input, HtmlOut& html);
void WriteWhatIfs(const PageInput& input, HtmlOut& html);
void WriteGuards(const PageInput& input, HtmlOut& html);
void WriteEager(const PageInput& input, HtmlOut& html);
void WriteGaps(const PageInput& input, HtmlOut& html);

/// Data for the script to draw the timeline: lanes, compilations, events, steps. See
/// html/report.js.
nlohmann::ordered_json TimelineJson(const PageInput& input);

/// One object per finding, in order: its row in the table of causes, and the details of the row.
nlohmann::ordered_json CausesJson(const PageInput& input);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_HTML_SECTIONS_H_
