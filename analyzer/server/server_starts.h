// The starts of inference servers, as their lines tell them: input of the account and of findings.

#ifndef SHAPEWISE_ANALYZER_SERVER_SERVER_STARTS_H_
#define SHAPEWISE_ANALYZER_SERVER_SERVER_STARTS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/session.h"
#include "shapewise/result/server_report.h"

namespace shapewise {

/// One part of a model that is compiled by itself.
struct CompiledModel {
  std::optional<double> dynamo;
  double range_seconds = 0;  ///< ranges share one clock: the largest
  double shape_seconds = 0;  ///< single shapes are compiled one after the other
  bool is_compiled = false;
  uint64_t hits = 0;
  uint64_t misses = 0;
  std::optional<double> load_seconds;
  std::optional<double> total;

  bool IsMiss() const { return misses > 0 || (is_compiled && hits == 0); }
};

/// A worker while its lines are read.
struct WorkerLines {
  std::string name;
  ServerWorker worker;
  std::map<StrId, CompiledModel> models;
  uint32_t num_captures = 0;
  double capture_seconds = 0;  ///< of all of them
  std::optional<double> sum;   ///< of all models so far, as the process itself adds up
  bool has_kv_memory = false;
  bool captured_behind_kv = false;
  bool bars_are_over = false;  ///< a capture ended: further bars are of another one
  LogTime load_begin;
  LogTime autotune_begin;
};

/// A line that tells of trouble, and how many of its kind there are.
struct ServerRemark {
  const ServerLine* line = nullptr;
  uint64_t count = 0;
};

struct ServerStart {
  ServerEngine engine = ServerEngine::kVllm;
  uint32_t input = 0;
  uint64_t first_line = 0;
  uint64_t ready_line = 0;          ///< 0: it was not ready before the log ended
  std::string release;              ///< "0.10.2"; empty: not told
  std::deque<WorkerLines> workers;  // references stay valid
  std::map<StrId, size_t> index;
  std::set<StrId> processes;                               ///< that said that they begin
  std::map<std::string, double, std::less<>> engine_init;  ///< seconds by DataParallelPart
  /// Seconds of the slowest worker, by the names that SGLang prints: "load_weight",
  /// "cuda_graph.decode" ...
  std::map<std::string, double, std::less<>> timings;
  std::optional<int64_t> capture_sizes;
  std::optional<int64_t> largest_size;             ///< of those that are captured
  std::optional<int64_t> draft_tokens;             ///< that each request may have in one step
  const ServerLine* most_running = nullptr;        ///< the most requests that ran at a time
  std::string cache_factors;                       ///< as printed; empty: not told
  std::map<std::string, std::string> environment;  ///< part of the cache's key
  std::map<ServerLineKind, ServerRemark> remarks;
  bool compiles_in_capture = false;  ///< SGLang with --enable-torch-compile
  std::string mode;
  bool is_cache_off = false;
  bool is_over = false;  ///< the server was ready, or its engine was
};

/// "DP1" of "EngineCore_DP1" and of "Worker_DP1_TP0"; empty if there is one engine only.
std::string_view DataParallelPart(std::string_view process);

/// The starts that the sorted `session` tells of. They point into its lines.
std::deque<ServerStart> SplitServerStarts(const Session& session);

/// Adds `seconds`, where they are known, to those of `phase`.
void AddPhase(std::map<std::string, double>& phases, const std::string& phase,
              std::optional<double> seconds);

/// "cold", "warm", "mixed", "off"; empty: not told.
std::string CacheState(const WorkerLines& lines, bool is_off);

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SERVER_SERVER_STARTS_H_
