// What calls of a captured graph, or of a program under torch.compile, cost size by size, as
// another program that runs it measures them.

#ifndef SHAPEWISE_PIPELINE_MEASURE_CURVE_H_
#define SHAPEWISE_PIPELINE_MEASURE_CURVE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/buckets/active_cost.h"
#include "shapewise/buckets/size_line.h"
#include "shapewise/ingest/size_reader.h"
#include "shapewise/model/size_history.h"
#include "shapewise/pipeline/record_file.h"
#include "shapewise/pipeline/replay.h"
#include "shapewise/result/replay_report.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// What to measure, and how precisely.
struct CurveOptions {
  std::vector<std::string> dumps;  ///< of graphs, as ReadGraphs takes them; none: a callable
  std::string graph;               ///< its name; empty: the one with most symbols
  std::string symbol;              ///< that is varied; empty: the only one
  std::vector<int64_t> sizes;      ///< to measure; empty: those that matter for `lengths`
  /// Files of sizes that calls had; empty: those of the recorded calls, if there are.
  std::vector<std::string> lengths;
  SizeQuery query;  ///< which column of them
  BucketLimits limits;
  ActiveCostOptions active;
  GraphProgramText program_of;
  Redactor* redactor = nullptr;  ///< rewrites what the program says of a size; null: it stays
};

/// What is ready to be measured.
struct CurveRun {
  std::string program;               ///< of a graph: shapewise.program/1
  std::vector<ReplayFile> job;       ///< of a callable: to lie in one folder; first the job itself
  std::vector<RecordFile> files;     ///< of call records
  SizeHistogram sizes;               ///< that calls had; no calls: it is not known
  std::optional<ActiveCost> active;  ///< absent: sizes are given
  CurveReport report;
};

/// Reads the dump, chooses graph and symbol, and reads the lengths. Error: nothing fits; it says
/// what there is.
Error PrepareCurve(const CurveOptions& options, FileSource& files, CurveRun& run);

/// The same for `replay.callable`, whose `replay.dims` are varied in the calls of `replay.calls`.
Error PrepareCallableCurve(const CurveOptions& options, const ReplayOptions& replay,
                           FileSource& files, CurveRun& run);

/// Reads the first line of what runs a callable: that it is ready, and where. Error: it says why it
/// is not, or something else.
Error ReadReadiness(const std::string& line, CurveReport& report);

/// Sends a line to the program that runs the graph, and gives its answer (docs/replay.md, serve).
using AskProgram = std::function<Expected<std::string>(const std::string& line)>;

/// Measures, and fills in the report of `run`. A size that cannot be run is told there. `steps`:
/// calls of the run by whose time ways to serve are judged; absent: as many as had a size. Error:
/// the program has gone away or answers what is no answer; the largest size cannot be run.
Error MeasureCurve(const CurveOptions& options, std::optional<uint64_t> steps,
                   const AskProgram& ask, CurveRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_MEASURE_CURVE_H_
