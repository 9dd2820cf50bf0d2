// The engine of `shapewise buckets`: from inputs to a plan.

#ifndef SHAPEWISE_PIPELINE_BUCKETS_H_
#define SHAPEWISE_PIPELINE_BUCKETS_H_

#include <string>
#include <vector>

#include "buckets/plan_buckets.h"
#include "ingest/size_reader.h"
#include "pipeline/load_run.h"
#include "redact/redactor.h"
#include "result/bucket_report.h"
#include "support/text_input.h"

namespace shapewise {

/// The inputs of a plan.
struct BucketOptions {
  std::vector<std::string> paths;  ///< sizes of calls; "-": standard input
  SizeQuery query;
  GroupingRule grouping;
  std::string cost_file;             ///< a measured curve; empty: use plan.cost
  std::vector<std::string> ladders;  ///< names for LadderOf, or files of sizes
  PlanOptions plan;                  ///< ladders and mode_costs are filled in from the fields above
  Redactor* redactor = nullptr;      ///< rewrites names in sentences; null: unchanged
};

/// What was read, and the plan.
struct BucketRun {
  std::vector<RecordFile> files;  ///< files of sizes and costs
  BucketReport report;            ///< without sizes, only its `unread` is filled in
};

/// Reads sizes and costs, makes a plan, and predicts what Dynamo does with it. Unreadable inputs
/// are listed in BucketReport::unread. Error: options that contradict each other or the inputs, no
/// sizes, an unreadable cost file or ladder.
Error PlanBucketsOfRun(const BucketOptions& options, FileSource& files, BucketRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BUCKETS_H_
