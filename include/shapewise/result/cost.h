// Where the time of compiling went: totals of a run, and what each function took.
//
// Seconds are wall-clock seconds of one process each. Ranks compile side by side, so sums over them
// are work, not waiting; CompileCosts::slowest_seconds is the most that one process waited.

#ifndef SHAPEWISE_RESULT_COST_H_
#define SHAPEWISE_RESULT_COST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/result/place.h"

namespace shapewise {

/// Seconds by phase; absent: no compilation tells. Dynamo, AOT and Inductor share nothing, so that
/// their sum never exceeds the seconds of the compilations.
struct PhaseSeconds {
  std::optional<double> dynamo;  ///< tracing, guards, and what else is outside the backend
  std::optional<double> aot;     ///< in the backend, outside Inductor: AOTAutograd, other backends
  std::optional<double> inductor;  ///< in Inductor, code generation included
  std::optional<double> code_gen;  ///< of it, making and compiling kernels

  friend bool operator==(const PhaseSeconds&, const PhaseSeconds&) = default;
};

/// How often the caches of compiled graphs answered.
struct CacheUse {
  uint64_t hits = 0;
  uint64_t misses = 0;
  uint64_t bypasses = 0;
  std::optional<double> seconds_saved;  ///< by PyTorch's estimate it

  friend bool operator==(const CacheUse&, const CacheUse&) = default;
};

/// The compilations of one sort.
struct CompileShare {
  uint64_t compilations = 0;
  double seconds = 0;

  friend bool operator==(const CompileShare&, const CompileShare&) = default;
};

/// What compiling took, over all processes. Every second counts in one of first_compiles,
/// recompiles, failed, empty_graphs and retrace_seconds; their sum is `seconds`.
struct CompileCosts {
  double seconds = 0;
  CompileShare first_compiles;  ///< with their backward graphs; there is no way around these
  CompileShare recompiles;      ///< with their backward graphs; also of empty graphs
  CompileShare failed;          ///< an exception, and no code
  CompileShare empty_graphs;    ///< first compiles that found nothing to compile
  double retrace_seconds = 0;   ///< traced in vain before a graph break
  CompileShare backward;        ///< of all that, backward graphs
  uint64_t unfinished = 0;      ///< began, and their end is not in the log
  /// Besides `seconds`: tuning and recording when graphs first ran.
  std::optional<double> run_time_seconds;
  PhaseSeconds phases;
  CacheUse cache;
  uint64_t processes = 0;      ///< that compiled
  double slowest_seconds = 0;  ///< of the process that compiled longest
  int32_t slowest_rank = -1;   ///< its rank; -1: unknown
  uint32_t slowest_input = 0;  ///< its first input
};

/// What one compiled function took, over all processes.
struct FunctionCost {
  Place where;
  uint64_t compiles = 0;    ///< of graphs with ops
  uint64_t recompiles = 0;  ///< compilations after the first of its frame, whatever came of them
  uint64_t failed = 0;
  uint64_t empty_graphs = 0;
  std::optional<double> seconds;            ///< backward graphs included
  std::optional<double> recompile_seconds;  ///< of it
  std::optional<double> retrace_seconds;    ///< of it
  PhaseSeconds phases;
  std::optional<uint64_t> guards;      ///< of the entry that has most
  std::optional<double> estimated_us;  ///< per call of that entry, found first
  std::optional<double>
      measured_guard_us;       ///< its guards, as PyTorch measured them at compile time: shortest
  uint64_t cache_entries = 0;  ///< at most, of one frame of one process
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_COST_H_
