// Measures the cost of a captured graph, or of a program under torch.compile, by size; another
// program runs it.

#ifndef SHAPEWISE_PIPELINE_MEASURE_CURVE_H_
#define SHAPEWISE_PIPELINE_MEASURE_CURVE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "buckets/active_cost.h"
#include "buckets/size_line.h"
#include "ingest/size_reader.h"
#include "model/size_history.h"
#include "pipeline/load_run.h"
#include "pipeline/replay.h"
#include "result/replay_report.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// What to measure, and how precisely.
struct CurveOptions {
  std::vector<std::string> dumps;  ///< dumps of graphs, as for ReadGraphs; none: a callable
  std::string graph;               ///< name of the graph; empty: the one with most symbols
  std::string symbol;              ///< the symbol to vary; empty: the only one
  std::vector<std::string> binds;  ///< "s37=8": values of other symbols
  std::vector<int64_t> sizes;      ///< sizes to measure; empty: those relevant for `lengths`
  /// Files with sizes of calls; empty: use recorded calls, if any.
  std::vector<std::string> lengths;
  SizeQuery query;  ///< selects a column of these files
  BucketLimits limits;
  ActiveCostOptions active;
  GraphProgramText program_of;
  Redactor* redactor = nullptr;  ///< rewrites messages of the other program; null: unchanged
};

/// A prepared measurement.
struct CurveRun {
  std::string program;                   ///< for a graph: shapewise.program/1
  std::map<std::string, int64_t> fixed;  ///< for a graph: symbols that are not varied
  std::vector<ReplayFile> job;       ///< for a callable: files for one folder; the first is the job
  std::vector<RecordFile> files;     ///< of call records
  SizeHistogram sizes;               ///< sizes of calls; empty: unknown
  std::optional<ActiveCost> active;  ///< absent: sizes are given
  CurveReport report;
};

/// Reads the dump, selects graph and symbol, and reads the lengths. Error: nothing matches; the
/// message lists what exists.
Error PrepareCurve(const CurveOptions& options, FileSource& files, CurveRun& run);

/// The same for `replay.callable`; its `replay.dims` are varied in the calls of `replay.calls`.
Error PrepareCallableCurve(const CurveOptions& options, const ReplayOptions& replay,
                           FileSource& files, CurveRun& run);

/// Reads the first line of the program that runs a callable: whether it is ready, and on which
/// device. Error: it is not ready, or the line is invalid.
Error ReadReadiness(const std::string& line, CurveReport& report);

/// Sends a line to the program that runs the graph, and returns its answer (docs/replay.md, serve).
using AskProgram = std::function<Expected<std::string>(const std::string& line)>;

/// Measures, and fills in the report of `run`. A size that cannot be run is listed there. `steps`:
/// number of calls used to compare ways to serve; absent: the number of calls with a size. Error:
/// the program ended or answered incorrectly; the largest size cannot be run.
Error MeasureCurve(const CurveOptions& options, std::optional<uint64_t> steps,
                   const AskProgram& ask, CurveRun& run);

/// A parsed answer.
struct CurveAnswer {
  std::optional<CurveReport::Point> point;
  std::optional<double> drift;  ///< relative drift of the reference call
  std::string why;              ///< without a point: why the size could not be run
  std::string dynamic_why;  ///< why the dynamic graph could not be run; empty: it was, or unknown
};

/// Parses the answer to a request for `size`, sent as `key`. Missing or malformed parts are absent.
/// Error: not an answer, or an answer to another request.
Expected<CurveAnswer> ReadCurveAnswer(const std::string& line, const std::string& key,
                                      int64_t size);

/// Fills in the ways of `report` for a run of `steps` calls with the distribution `sizes`: buckets
/// at its boundaries (or at all timed sizes), one dynamic graph, and eager mode. Does nothing if
/// only one way was timed, the largest call fits no bucket, or the smallest is far below all timed
/// sizes.
void CompareServing(const SizeHistogram& sizes, uint64_t steps, CurveReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_MEASURE_CURVE_H_
