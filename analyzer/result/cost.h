// Compile time: totals of a run, and by function.
//
// Seconds are wall-clock seconds of single processes. Ranks compile in parallel, so sums over them
// are work, not waiting time; CompileCosts::slowest_seconds is the longest that one process waited.

#ifndef SHAPEWISE_RESULT_COST_H_
#define SHAPEWISE_RESULT_COST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/place.h"

namespace shapewise {

/// Seconds by phase; absent: no compilation states it. Dynamo, AOT and Inductor do not overlap, so
/// their sum never exceeds the seconds of the compilations.
struct PhaseSeconds {
  std::optional<double> dynamo;  ///< tracing, guards, and everything else outside the backend
  std::optional<double> aot;     ///< in the backend, outside Inductor: AOTAutograd, other backends
  std::optional<double> inductor;  ///< in Inductor, including code generation
  std::optional<double> code_gen;  ///< part of it generating and compiling kernels

  friend bool operator==(const PhaseSeconds&, const PhaseSeconds&) = default;
};

/// Look-ups in the caches of compiled graphs.
struct CacheUse {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t bypasses = 0;
  std::optional<double> seconds_saved;  ///< as estimated by PyTorch

  friend bool operator==(const CacheUse&, const CacheUse&) = default;
};

/// Compilations of one kind.
struct CompileShare {
  uint64_t compilations = 0;
  double seconds = 0;

  friend bool operator==(const CompileShare&, const CompileShare&) = default;
};

/// Compile time over all processes. Every second is in one of first_compiles, recompiles, failed,
/// empty_graphs and retrace_seconds; their sum is `seconds`.
struct CompileCosts {
  double seconds = 0;
  CompileShare first_compiles;  ///< with their backward graphs; unavoidable
  CompileShare recompiles;      ///< with their backward graphs; includes empty graphs
  CompileShare failed;          ///< ended with an exception, without code
  CompileShare empty_graphs;    ///< first compiles that found nothing to compile
  double retrace_seconds = 0;   ///< traces discarded before a graph break
  CompileShare backward;        ///< part of all these in backward graphs
  uint64_t unfinished = 0;      ///< started, but their end is not in the log
  /// In addition to `seconds`: autotuning and recording on first runs.
  std::optional<double> run_time_seconds;
  PhaseSeconds phases;
  CacheUse cache;
  uint64_t processes = 0;      ///< processes that compiled
  double slowest_seconds = 0;  ///< of the process with the most compile time
  int32_t slowest_rank = -1;   ///< its rank; -1: unknown
  uint32_t slowest_input = 0;  ///< its first input
};

/// Compile time of one function, over all processes.
struct FunctionCost {
  Place where;
  uint64_t compiles = 0;    ///< of graphs with operators
  uint64_t recompiles = 0;  ///< compilations after the first of its frame, whatever their result
  uint64_t failed = 0;
  uint64_t empty_graphs = 0;
  std::optional<double> seconds;            ///< including backward graphs
  std::optional<double> recompile_seconds;  ///< part of it
  std::optional<double> retrace_seconds;    ///< part of it
  PhaseSeconds phases;
  std::optional<uint64_t> guards;           ///< of the entry with the most guards
  std::optional<double> estimated_us;       ///< per call of that entry, if it is found first
  std::optional<double> measured_guard_us;  ///< its guards, as measured by PyTorch at compile time:
                                            ///< the shortest value
  uint64_t cache_entries = 0;               ///< maximum over frames and processes
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_COST_H_
