// What `shapewise guards` does between its inputs and its report.

#ifndef SHAPEWISE_PIPELINE_GUARDS_H_
#define SHAPEWISE_PIPELINE_GUARDS_H_

#include <string>
#include <vector>

#include "shapewise/guards/dimension_guards.h"
#include "shapewise/model/graph_model.h"
#include "shapewise/model/session.h"
#include "shapewise/redact/redactor.h"
#include "shapewise/result/guard_report.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What was read, and what was found out.
struct GuardAnalysis {
  Session session;
  GraphSet graphs;  ///< of dumps; empty where the inputs are logs or traces
  GuardReport report;
};

/// Reads the logs, traces, or dumps that `paths` name and fills `analysis`, which is new. Inputs
/// are read as dumps only if no cache entry is found in any of them. A path that cannot be read is
/// told in GuardReport::unread, and the rest is read. With `redactor` names of what was read are
/// rewritten; those of `query` are given as they are in the inputs.
void FindGuards(const std::vector<std::string>& paths, const GuardQuery& query, FileSource& files,
                GuardAnalysis& analysis, Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_GUARDS_H_
