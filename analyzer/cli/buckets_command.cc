#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "buckets/ladders.h"
#include "cli/buckets_options.h"
#include "cli/input_reports.h"
#include "cli/progress.h"
#include "cli/result_options.h"
#include "ingest/redacted_lines.h"
#include "redact/redact.h"
#include "report/bucket_writer.h"

namespace shapewise {
namespace {

constexpr const char* kBucketsExamples =
    "LENGTHS contains one size per line, a table (--column), a histogram (length,count), JSON\n"
    "lines, call records (--source x:1) or a result of lint --format json --events; - is standard\n"
    "input. If calls are in order of time, a plan of the first four fifths is validated on the\n"
    "last.\n"
    "\n"
    "Without costs in seconds, the cost of a call is its number of elements, and the plan has the\n"
    "fewest buckets whose padding is within 1 % of the best eight (--max-buckets). With costs in\n"
    "seconds, each graph has a price (--compile-seconds, --steps), and the plan is compared with "
    "a\n"
    "dynamic graph, a single size and mixes. Nothing is run: the output lists every assumed "
    "value.\n"
    "\n"
    "Exit status: 0 success; 1 sizes change so much over time that the plan will not last, or "
    "more\n"
    "than one in a hundred held-out calls is larger than the largest bucket (a warning for\n"
    "--fail-on); 2 error. Settings: fail-on of lint applies.\n"
    "\n"
    "Examples:\n"
    "  shapewise buckets lengths.txt\n"
    "  shapewise buckets requests.csv --column prompt_tokens --buckets 16 --max 4096 --compare "
    "vllm\n"
    "  shapewise buckets requests.csv --column prompt_tokens --cost seconds.csv --steps 1000000\n"
    "  shapewise buckets lengths.txt --batch 32 --emit pytorch -o buckets.py\n"
    "  shapewise buckets calls.csv --column batch --column length --align 1,64 --buckets 32\n"
    "  shapewise buckets lengths.txt --format svg -o plan.svg";

/// Redacts messages about files before there is a result.
void RedactReading(Redactor& redactor, BucketRun& run) {
  for (RecordFile& file : run.files) {
    RedactTotals(redactor, file.totals);
    file.path = NameOfInput(file.path, &redactor);
  }
  for (std::string& message : run.report.unread) {
    message = redactor.Rewrite(TextKind::kProse, message);
  }
}

Expected<ExitStatus> RunBuckets(const CLI::App& app, BucketsArguments& arguments) {
  if (Error error = ApplyLintSettings(app, nullptr, nullptr, &arguments)) return error;
  if (Error error = FinishBucketsArguments(arguments)) return error;
  Expected<std::unique_ptr<Redactor>> redactor = MakeRedactor(arguments.redact);
  if (!redactor) return redactor.takeError();
  arguments.buckets.redactor = redactor->get();
  BucketRun run;
  Error planned = PlanBucketsOfRun(arguments.buckets, *NewWatchedFileSource(), run);
  if (*redactor) RedactReading(**redactor, run);
  ReportUnread(run.report.unread);
  const bool is_read = ReportDamage(run.files, kExpectedSizes) && run.report.unread.empty();
  if (planned) return RedactedTrouble(std::move(planned), redactor->get());
  if (run.report.boundaries.empty()) return ExitStatus::kTrouble;

  if (*redactor) RedactBuckets(**redactor, LadderNames(), run.report);
  PrepareReport(arguments.output, arguments.color, arguments.report);
  const BucketFormat& format =
      *(arguments.emit.empty() ? FindFormat(BucketFormats(), arguments.format)
                               : FindFormat(BucketEmitters(), arguments.emit));
  Error error = WriteResult(arguments.output, [&](llvm::raw_ostream& out) {
    format.write(run.report, arguments.report, out);
  });
  return FinishResult(std::move(error), arguments, is_read, WorstOf(run.report));
}

CommandRun AddBuckets(CLI::App& app) {
  const auto arguments = std::make_shared<BucketsArguments>();
  AddBucketsOptions(app, *arguments);
  return [&app, arguments] { return RunBuckets(app, *arguments); };
}

}  // namespace

const Command kBucketsCommand = {"buckets", "Find the sizes to pad to, and how many",
                                 kBucketsExamples, AddBuckets};

}  // namespace shapewise
