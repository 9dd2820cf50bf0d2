// The additional content of a run's page: what-ifs, sizes and guards.

#ifndef SHAPEWISE_PIPELINE_RUN_PAGE_H_
#define SHAPEWISE_PIPELINE_RUN_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/call_record_reader.h"
#include "model/call_history.h"
#include "model/session.h"
#include "pipeline/lint.h"
#include "pipeline/load_run.h"
#include "result/finding.h"
#include "result/run_page.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// Simulates the calls of the run under common what-ifs and those in the advice of `findings`,
/// plans buckets for the observed sizes, and counts guards. `session` must be read with
/// ReadOptions::guard_texts; `recorded` are calls of the same run, or empty.
RunPage MakeRunPage(const Session& session, const std::vector<Finding>& findings,
                    RecordedFunctions recorded = {});

/// Everything on a page.
struct RunReport {
  Session session;
  std::vector<RecordFile> records;  ///< call records among the inputs
  LintResult result;
  RunPage page;
};

/// Reads the inputs as Lint does, including call records among them, and fills the empty `report`.
/// Call records are files named *.jsonl, *.ndjson or *.json, compressed or not, that begin with
/// such a record. Errors and unreadable inputs: as for Lint.
Error ReportOnRun(const LintOptions& options, FileSource& files, RunReport& report);

/// Maximum number of planned dims.
inline constexpr size_t kMaxShapePlans = 4;

/// Calls of one function of one process, or batches of a data loader.
struct CalledSizes {
  Place where;
  const CallHistory* history = nullptr;
  bool is_recorded = false;    ///< from call records; else only calls that missed a cache
  bool is_ordered = true;      ///< in their original order
  bool is_incomplete = false;  ///< there were more
};

/// Finds the dims of tensors with at least two sizes in `calls`, and plans buckets, for padding
/// only, for those with the most sizes. Calls at the same place belong to one function, run by
/// several processes. Fills in `page.plans` and `page.varying_dims`.
void PlanShapes(const std::vector<CalledSizes>& calls, RunPage& page);

/// The paths of a run by content.
struct SplitInputs {
  std::vector<std::string> records;  ///< files of call records, in the given order
  std::vector<std::string> others;   ///< everything else; unchanged if it contains no records
  std::vector<std::string> unread;   ///< one message per path that could not be expanded
};

/// Classifies `paths` (files, folders, "-"). Records are files named *.jsonl, *.ndjson or
/// *.json, compressed or not, that begin with a record.
SplitInputs SplitRecords(const std::vector<std::string>& paths, FileSource& files);

/// Whether `line`, the first of a file, is a call record or the header of such a file.
bool IsCallRecordLine(std::string_view line);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RUN_PAGE_H_
