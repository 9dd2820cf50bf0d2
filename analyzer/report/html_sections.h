// The sections of a page about a run. Each writes its <section>, whatever the input has for it.

#ifndef SHAPEWISE_REPORT_HTML_SECTIONS_H_
#define SHAPEWISE_REPORT_HTML_SECTIONS_H_

#include <nlohmann/json.hpp>

#include "report/html_out.h"
#include "report/run_clocks.h"
#include "shapewise/model/session.h"
#include "shapewise/result/finding.h"
#include "shapewise/result/run_page.h"

namespace shapewise {

/// How many rows of a table are there at first; the script adds as many on request.
inline constexpr size_t kRowsAtOnce = 200;

/// What all sections are about.
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

/// What the script draws the timeline from: lanes, compilations, events, steps. See html/report.js.
nlohmann::ordered_json TimelineJson(const PageInput& input);

/// One object a finding, in order: what the table of causes shows, and what a row opens.
nlohmann::ordered_json CausesJson(const PageInput& input);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_HTML_SECTIONS_H_
