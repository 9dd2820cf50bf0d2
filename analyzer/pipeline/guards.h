// The engine of `shapewise guards`: from inputs to a report.

#ifndef SHAPEWISE_PIPELINE_GUARDS_H_
#define SHAPEWISE_PIPELINE_GUARDS_H_

#include <string>
#include <vector>

#include "guards/dimension_guards.h"
#include "model/graph_model.h"
#include "model/session.h"
#include "redact/redactor.h"
#include "result/guard_report.h"
#include "support/text_input.h"

namespace shapewise {

/// What was read, and the report.
struct GuardAnalysis {
  Session session;
  GraphSet graphs;  ///< graphs of dumps; empty if the inputs are logs or traces
  GuardReport report;
};

/// Reads the logs, traces or dumps in `paths` and fills the empty `analysis`. Inputs are read as
/// dumps only if none of them contains a cache entry. Unreadable paths are listed in
/// GuardReport::unread. `redactor` rewrites names in the result; names in `query` are those of the
/// inputs.
void FindGuards(const std::vector<std::string>& paths, const GuardQuery& query, FileSource& files,
                GuardAnalysis& analysis, Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_GUARDS_H_
