// The sections of a run's page. Each adds its title, even if the input has nothing for it.

#ifndef SHAPEWISE_REPORT_PAGE_SECTIONS_H_
#define SHAPEWISE_REPORT_PAGE_SECTIONS_H_

#include "model/session.h"
#include "report/document.h"
#include "report/result_json.h"
#include "report/run_clocks.h"
#include "result/finding.h"
#include "result/run_page.h"

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

using PageSection = void(const PageInput& input, Document& page);

PageSection AddTimeline;
PageSection AddCauses;
PageSection AddSizes;
PageSection AddWhatIfs;
PageSection AddGuards;
PageSection AddEager;

/// Adds why a section is empty.
void AddNothing(std::string_view why, Document& page);

/// Adds "and 3 more functions"; nothing if all are `shown`.
void AddMore(size_t shown, size_t count, std::string_view noun, Document& page);

/// Data for the script to draw the timeline: lanes, compilations, events, steps. See
/// html/timeline.js.
Json TimelineJson(const PageInput& input);

/// One object per finding, in order: its row in the table of causes, and the details of the row.
Json CausesJson(const PageInput& input);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PAGE_SECTIONS_H_
