// The additional content of a run's page: what-ifs, sizes and guards.

#ifndef SHAPEWISE_PIPELINE_RUN_PAGE_H_
#define SHAPEWISE_PIPELINE_RUN_PAGE_H_

#include <string>
#include <vector>

#include "ingest/call_record_reader.h"
#include "model/session.h"
#include "pipeline/lint.h"
#include "pipeline/record_file.h"
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

/// Reads the call records at `paths` into `recorded`, and adds the counts of each file to `read`.
/// Returns one message per unreadable file.
std::vector<std::string> ReadRunRecords(const std::vector<std::string>& paths, FileSource& files,
                                        Redactor* redactor, RecordedFunctions& recorded,
                                        std::vector<RecordFile>& read);

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

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RUN_PAGE_H_
