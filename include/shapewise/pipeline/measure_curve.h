// What calls of a captured graph cost, size by size, as a program that runs it measures them.

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
#include "shapewise/pipeline/replay.h"
#include "shapewise/result/replay_report.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

struct CurveOptions {
  std::vector<std::string> dumps;    ///< of graphs, as ReadGraphs takes them
  std::string graph;                 ///< its name; empty: the one with most symbols
  std::string symbol;                ///< that is varied; empty: the only one
  std::vector<int64_t> sizes;        ///< to measure; empty: those that matter for `lengths`
  std::vector<std::string> lengths;  ///< files of sizes that calls had
  SizeQuery query;                   ///< which column of them
  BucketLimits limits;
  ActiveCostOptions active;
  GraphProgramText program_of;
};

/// A graph that is ready to be measured.
struct CurveRun {
  std::string program;               ///< shapewise.program/1
  std::optional<ActiveCost> active;  ///< absent: sizes are given
  CurveReport report;
};

/// Reads the dump, chooses graph and symbol, and reads the lengths. Error: nothing fits; it says
/// what there is.
Error PrepareCurve(const CurveOptions& options, FileSource& files, CurveRun& run);

/// Sends a line to the program that runs the graph, and gives its answer (docs/replay.md, serve).
using AskProgram = std::function<Expected<std::string>(const std::string& line)>;

/// Measures, and fills in the report of `run`. A size that cannot be run is told there. Error: the
/// program has gone away or answers what is no answer; the largest size cannot be run.
Error MeasureCurve(const CurveOptions& options, const AskProgram& ask, CurveRun& run);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_MEASURE_CURVE_H_
