// What `shapewise buckets` does between its inputs and its plan.

#ifndef SHAPEWISE_PIPELINE_BUCKETS_H_
#define SHAPEWISE_PIPELINE_BUCKETS_H_

#include <string>
#include <vector>

#include "shapewise/buckets/plan_buckets.h"
#include "shapewise/ingest/size_reader.h"
#include "shapewise/pipeline/record_file.h"
#include "shapewise/redact/redactor.h"
#include "shapewise/result/bucket_report.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What a plan rests on.
struct BucketOptions {
  std::vector<std::string> paths;  ///< sizes of calls; "-": standard input
  SizeQuery query;
  GroupingRule grouping;
  std::string cost_file;             ///< a measured curve; empty: plan.cost holds
  std::vector<std::string> ladders;  ///< names that LadderOf knows, or files of sizes
  PlanOptions plan;                  ///< its ladders and mode_costs are filled in from these
  Redactor* redactor = nullptr;      ///< of the names in sentences; null: they are as they are
};

/// What was read, and what is planned.
struct BucketRun {
  std::vector<RecordFile> files;  ///< of sizes and costs
  BucketReport report;            ///< without sizes only its `unread` is filled in
};

/// Reads sizes and costs, plans, and tells what Dynamo will do with the plan. Inputs that cannot be
/// read are told in BucketReport::unread. Error: options that contradict each other or what was
/// read, no size, an unreadable cost file or ladder.
Error PlanBucketsOfRun(const BucketOptions& options, FileSource& files, BucketRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_BUCKETS_H_
