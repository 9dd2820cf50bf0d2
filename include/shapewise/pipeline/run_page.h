// What a page about a run shows beside what lint tells: what-ifs, sizes, guards.

#ifndef SHAPEWISE_PIPELINE_RUN_PAGE_H_
#define SHAPEWISE_PIPELINE_RUN_PAGE_H_

#include <string>
#include <vector>

#include "shapewise/ingest/call_record_reader.h"
#include "shapewise/model/session.h"
#include "shapewise/pipeline/lint.h"
#include "shapewise/pipeline/record_file.h"
#include "shapewise/result/finding.h"
#include "shapewise/result/run_page.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// Plays the calls of the run again under the usual what-ifs and those that the advice of
/// `findings` names, plans buckets for the sizes that came, and counts guards. `session` was read
/// with ReadOptions::guard_texts; `recorded` are calls of the same run, or none.
RunPage MakeRunPage(const Session& session, const std::vector<Finding>& findings,
                    RecordedFunctions recorded = {});

/// Reads the call records at `paths` into `recorded`, and adds an account of each file to `read`.
/// Returns one message for each file that cannot be read.
std::vector<std::string> ReadRunRecords(const std::vector<std::string>& paths, FileSource& files,
                                        Redactor* redactor, RecordedFunctions& recorded,
                                        std::vector<RecordFile>& read);

/// Everything that a page shows.
struct RunReport {
  Session session;
  std::vector<RecordFile> records;  ///< the call records among the inputs
  LintResult result;
  RunPage page;
};

/// Reads the inputs as Lint does, call records among them besides, and makes the page of them into
/// the empty `report`. Call records are files called *.jsonl, *.ndjson or *.json, compressed or
/// not, that begin with one. Error and what cannot be read: as with Lint.
Error ReportOnRun(const LintOptions& options, FileSource& files, RunReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RUN_PAGE_H_
